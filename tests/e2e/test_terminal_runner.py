"""A program's own `TerminalRunner` asks at the terminal, as `mcode` does."""

import json
import sys
from pathlib import Path

import pytest
from confinement import SURROUNDINGS
from terminal import READY, Terminal

PROGRAM = """
import asyncio
from maxagent import TerminalRunner

async def main():
    async with TerminalRunner() as runner:
        result = await runner.run(runner.chat("Go", folder=".", options={"mode": "ask"}))
        print("status:", result.status, result.text)

asyncio.run(main())
"""
WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}}


@pytest.mark.parametrize(
    ("keys", "status", "exists"), [("y", "answered", True), ("\x1b", "question", False)]
)
def test_question_is_asked_at_the_terminal(
    tmp_path: Path, keys: str, status: str, exists: bool
) -> None:
    (tmp_path / "script.json").write_text(
        json.dumps([{"tool_calls": [WRITE]}, {"text": "Written."}])
    )
    environ = {
        **SURROUNDINGS,
        "MAXAGENT_HOME": str(tmp_path / "home"),
        "LLC_MODEL": f"scripted/{tmp_path / 'script.json'}",
        "LANG": "C.UTF-8",
    }
    with Terminal([sys.executable, "-c", PROGRAM], tmp_path, environ) as terminal:
        terminal.until(READY)
        terminal.type(keys)
        terminal.until(f"status: {status}")
    assert (tmp_path / "a.txt").exists() is exists
