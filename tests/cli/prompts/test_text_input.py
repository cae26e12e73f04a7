"""A line at a real terminal, and one that is piped."""

import io
import os
import sys
from pathlib import Path

import pytest
from screen import ScreenTerminal

from maxagent.cli.prompts.text_input import read_line
from maxagent.cli.rendering.console import open_console

ASKS = (
    "import asyncio\n"
    "from maxagent.cli.rendering.console import open_console\n"
    "from maxagent.cli.prompts.text_input import read_line\n"
    "async def inside():\n"
    "    while True:\n"
    "        try: print('got', repr(read_line(open_console(), 'Well?')))\n"
    "        except (EOFError, KeyboardInterrupt) as left: print('left by', type(left).__name__)\n"
    "asyncio.run(inside())\n"
)


def test_line_at_terminal_is_editable_by_key(tmp_path: Path) -> None:
    with ScreenTerminal([sys.executable, "-c", ASKS], tmp_path, {**os.environ}) as terminal:
        terminal.wait_for("Well?")
        terminal.type("nex").press("left").type("w").press("enter")
        terminal.wait_for("got 'newx'")
        terminal.type("你好\n")
        terminal.wait_for("got '你好'")
        for key, name in {"esc": "KeyboardInterrupt", "ctrl-d": "EOFError"}.items():
            terminal.wait_for(lambda screen: screen.rstrip().endswith("Well?"))
            terminal.press(key)
            terminal.wait_for(f"left by {name}")
        terminal.wait_for(lambda screen: screen.rstrip().endswith("Well?"))
        terminal.type("half").press("ctrl-c")
        terminal.wait_for(lambda screen: screen.count("left by KeyboardInterrupt") == 2)
        assert "^" not in terminal.scrollback()


def test_elsewhere_a_line_is_read_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(" yes \n"))
    assert read_line(open_console(), "Well?") == "yes"
    with pytest.raises(EOFError):
        read_line(open_console(), "Well?")
    assert capsys.readouterr().err == "Well? Well? "
