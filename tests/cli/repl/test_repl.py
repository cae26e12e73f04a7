import subprocess
import sys

import pytest

from maxagent.cli.repl import repl
from maxagent.cli.repl.repl import FRESH, TtlCache


def test_expired_value_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now, looked = [100.0], list[float]()
    monkeypatch.setattr(repl.time, "monotonic", lambda: now[0])
    names = TtlCache(lambda: looked.append(now[0]) or len(looked))
    assert [names(), names()] == [1, 1]
    now[0] += FRESH
    assert names() == 1
    now[0] += 0.1
    assert [names(), names()] == [2, 2]


HEAVY = {"langgraph", "langchain_core", "openai", "mcp", "tree_sitter", "bs4", "httpx2"}
LATER = {"pydantic", "rich", "ruamel", "pathspec", "rapidfuzz", "markdown_it", "sqlite3"}


def test_what_is_there_before_the_prompt_is_light() -> None:
    code = "import sys, maxagent.cli.app, maxagent.cli.repl.repl; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    packages = {name.partition(".")[0] for name in ended.stdout.split()}
    assert "prompt_toolkit" in packages and packages & (HEAVY | LATER) == set()
