"""The terminal of the other tests does what a terminal does."""

import os
import sys

import pytest
from screen import Glass, ScreenTerminal
from terminal import FreshTerminal

PROGRAM = """
import os, shutil, signal, tty
from maxagent.cli.prompts.interruptible_input import read_stdin_line
signal.signal(signal.SIGWINCH, lambda *_: print("size", *shutil.get_terminal_size()))
print("ready", *shutil.get_terminal_size())
while True:
    line = read_stdin_line()
    if line == "many":
        print("\\n".join(f"row {number}" for number in range(30)))
    elif line == "where":
        tty.setcbreak(0)
        print("abc\\x1b[6n", end="", flush=True)
        print("at", repr(os.read(0, 20)))
    else:
        print("\\aheard", line.strip())
"""


@pytest.fixture
def terminal(tmp_path):
    argv = [sys.executable, "-uc", PROGRAM]
    with ScreenTerminal(argv, tmp_path, {"LANG": "C.UTF-8"}, columns=40, rows=10) as terminal:
        terminal.wait_for("ready 40 10")
        yield terminal


def test_terminal_handles_keys_sizes_and_scrollback(terminal):
    terminal.type("你好").press("enter")
    terminal.wait_for("heard 你好")
    assert terminal.glass.bells == 1
    terminal.type("many\n").wait_for("row 29")
    assert "row 5" not in terminal.screen()
    assert [row for row in terminal.scrollback().split("\n") if row.startswith("row")] == [
        f"row {number}" for number in range(30)
    ]
    terminal.resize(60, 5)
    terminal.wait_for("size 60 5")
    assert terminal.scrollback().count("row 27") == 1
    terminal.type("where\n")
    terminal.wait_for("at b'\\x1b[5;4R'")


def test_ctrl_c_is_a_signal(terminal):
    terminal.press("ctrl-c")
    assert terminal.wait_for("KeyboardInterrupt") and terminal.end() == -2


def test_a_closed_window_hangs_up(terminal):
    assert terminal.hang_up() == -1


@pytest.mark.parametrize(
    ("text", "rows", "wraps"),
    [
        ("12345", ["12345", ""], 0),
        ("123456", ["12345", "6"], 1),
        ("1234中", ["1234", "中"], 1),
        ("⚠\ufe0f a", ["⚠ a", ""], 0),
        ("中文e\u0301", ["中文é", ""], 0),
    ],
)
def test_wide_character_without_room_wraps_to_next_row(text, rows, wraps):
    glass = Glass(5, 2, lambda answer: None)
    glass.draw(text)
    assert (glass.rows(), glass.wraps) == (rows, wraps)


def test_fresh_terminal_starts_a_program_itself(tmp_path):
    argv = [sys.executable, "-c", "import os; print(f'child of {os.getppid()}.')"]
    with FreshTerminal(argv, tmp_path, {"LANG": "C.UTF-8"}) as terminal:
        terminal.until(f"child of {os.getpid()}.")
