import os
import sys
from pathlib import Path

import pytest
from screen import ScreenTerminal

from maxagent.cli.rendering.listings.steps import show_lines
from maxagent.sdk.threads.steps import StepSummary

SHOWS = """
from datetime import UTC, datetime
from maxagent.cli.rendering.listings.steps import show_lines
from maxagent.sdk.threads.steps import StepSummary

now = datetime.now(UTC).isoformat()
words = "## **Two** changes are needed in `cart.py`, both small"
tools = ("read_file", "edit", "edit", "run_command")
show_lines([StepSummary(2, "build", words, tools, ("cart.py",), now, "x")])
"""
SAID = "2     build  Two changes are needed in cart.py, both small  "
WIDE = "just now  cart.py  read_file, edit, edit, run_command"


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (120, SAID + WIDE),
        (80, f"{SAID}just now  cart.py"),
        (50, "2     build  Two changes are needed in cart.py, b…"),
    ],
)
def test_messages_have_room_and_no_marks(tmp_path: Path, columns: int, row: str) -> None:
    argv = [sys.executable, "-c", SHOWS]
    # the terminal's own size counts, not that which another test has named
    environ = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with ScreenTerminal(argv, tmp_path, environ, columns=columns) as terminal:
        assert terminal.end() == 0
        assert row in [line.rstrip() for line in terminal.scrollback().split("\n")]


def test_pipe_gets_one_line_of_each_answer(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        StepSummary(number, "build", "word " * 300 * number, (), (), "", "x") for number in (1, 0)
    ]
    show_lines(lines)
    long, short = capsys.readouterr().out.splitlines()[1:]
    assert long.endswith("word…") and len(long) < 130 and len(short) < 130
