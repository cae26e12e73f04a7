import subprocess
import sys

HEAVY = {"langgraph", "langchain_core", "openai", "mcp", "tree_sitter", "bs4", "httpx2"}
LATER = {"pydantic", "rich", "ruamel", "pathspec", "rapidfuzz", "markdown_it", "sqlite3"}


def test_what_is_there_before_the_prompt_is_light() -> None:
    code = "import sys, maxagent.cli.app, maxagent.cli.repl.repl; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    packages = {name.partition(".")[0] for name in ended.stdout.split()}
    assert "prompt_toolkit" in packages and packages & (HEAVY | LATER) == set()
