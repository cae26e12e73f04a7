import re
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent.cli.rendering.text_width import measure_width
from maxagent.cli.repl import repl
from maxagent.cli.repl.repl import FRESH, TtlCache, build_card


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


@pytest.mark.parametrize("columns", [120, 80, 40, 20])
def test_card_is_a_box_of_one_width(
    tmp_path: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repl, "get_terminal_width", lambda: columns)
    card = build_card(tmp_path, {"model": "maker/" + "model-" * 8})
    rows = [re.sub(r"\x1b\[\d*m", "", row) for row in card]
    *box, keys = rows[1:]
    assert len({measure_width(row) for row in box}) == 1
    assert max(map(measure_width, rows)) <= columns and keys.startswith("  / ")
    content = "".join(row.strip("│ ") for row in box[1:-1]).replace(" ", "")
    assert content.endswith(f"{'model-' * 8}{tmp_path.resolve()}")


def test_plain_card_has_no_box(tmp_path: Path) -> None:
    first, keys = build_card(tmp_path, {}, is_plain=True)
    assert first.startswith("mcode ") and "\x1b" not in first + keys
