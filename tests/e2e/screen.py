"""A program at a real terminal: its screen is read as people see it, and keys are pressed.

    with ScreenTerminal(argv, folder, environ, columns=40, rows=12) as terminal:
        terminal.wait_for("> ")
        terminal.type("hello").press("enter")
        terminal.wait_for(lambda screen: "answer" in screen)
        assert terminal.scrollback().count("answer") == 1

Nothing here sleeps: whoever waits reads what the program writes, until it is there.
"""

import os
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import pyte
from pyte.modes import DECAWM
from terminal import PATIENCE, Terminal
from warm_start import Session
from wcwidth import wcwidth

WITH_A_CONTROLLING_TERMINAL = [
    sys.executable,
    "-ISc",
    "import fcntl, os, signal, sys, termios;"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "[signal.signal(one, signal.SIG_DFL) for one in (signal.SIGHUP, signal.SIGINT)];"
    "os.execvp(sys.argv[1], sys.argv[1:])",
]
"""Only so do Ctrl-C, a new size and a closed window reach the program as signals, and it hears
them where the suite runs under `nohup` or behind `&`."""

KEYS = {
    "enter": "\r",
    "alt-enter": "\x1b\r",
    "esc": "\x1b",
    "tab": "\t",
    "shift-tab": "\x1b[Z",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "delete": "\x1b[3~",
    "page-up": "\x1b[5~",
    "page-down": "\x1b[6~",
    **{f"ctrl-{letter}": chr(ord(letter) & 0x1F) for letter in "abcdefghijklmnopqrstuvwxyz"},
}


class Glass(pyte.Screen):
    """pyte's screen with what it lacks: scrollback, wide characters at the edge, answers."""

    def __init__(self, columns: int, rows: int, answer: Callable[[str], None]) -> None:
        self.gone: list[str] = []
        """Rows that went out at the top."""
        self.wraps = 0
        """How often a row was too long and the terminal broke it."""
        self.bells = 0
        self._answer = answer
        super().__init__(columns, rows)

    def row(self, number: int) -> str:
        """A row's text; a wide character's second cell is empty."""
        cells = self.buffer[number]
        return "".join(cells[column].data for column in range(self.columns)).rstrip()

    def rows(self) -> list[str]:
        """All rows that are seen now."""
        return [self.row(number) for number in range(self.lines)]

    def draw(self, data: str) -> None:
        """A wide character has no room in the last column; one without width hides no others."""
        for char in data:
            if wcwidth(char) == 2 and self.cursor.x == self.columns - 1:
                self.cursor.x = self.columns
            self.wraps += (
                self.cursor.x == self.columns and wcwidth(char) > 0 and DECAWM in self.mode
            )
            super().draw(char)

    def index(self) -> None:
        """The row that goes out at the top is kept."""
        if self.cursor.y == self.lines - 1 and self.margins is None:
            self.gone.append(self.row(0))
        super().index()

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """The rows for which there is no room go out at the top, as far as they hold anything."""
        lines, columns = lines or self.lines, columns or self.columns
        for _ in range(self.cursor.y + 1 - lines):
            self.gone.append(self.row(0))
            self.buffer.update({y: self.buffer[y + 1] for y in range(self.lines - 1)})
            self.cursor.y -= 1
        for number in range(lines, self.lines):
            self.buffer.pop(number, None)
        self.lines = lines
        super().resize(lines, columns)
        self.set_margins()
        self.cursor.x = min(self.cursor.x, columns)

    def bell(self, *_args: object) -> None:
        """Count it."""
        self.bells += 1

    def write_process_input(self, data: str) -> None:
        """What the program asked the terminal for, as where the cursor is."""
        self._answer(data)


class ScreenTerminal(Terminal):
    """A process in a terminal of its own; `shown` has every byte, `screen` what is seen of it."""

    session: Session = "terminal"
    wrapper: Sequence[str] = WITH_A_CONTROLLING_TERMINAL

    def __init__(
        self,
        argv: Sequence[str],
        cwd: Path,
        environ: Mapping[str, str],
        *,
        columns: int = 80,
        rows: int = 24,
    ) -> None:
        self.glass = Glass(columns, rows, self.type)
        """The screen itself: `glass.cursor`, `glass.title`, `glass.bells`, `glass.wraps`."""
        self._stream = pyte.ByteStream(self.glass)
        super().__init__(argv, cwd, environ, columns=columns, rows=rows)

    def press(self, *names: str) -> Self:
        """Press these keys, by name: `enter`, `esc`, `ctrl-c`, `shift-tab`, …"""
        return self.type("".join(KEYS[name] for name in names))

    def paste(self, text: str) -> Self:
        """Paste, as a terminal tells it to a program that knows bracketed paste."""
        return self.type(f"\x1b[200~{text}\x1b[201~")

    def screen(self) -> str:
        """The rows that are seen now."""
        return "\n".join(self.glass.rows())

    def scrollback(self) -> str:
        """Every row there ever was that is still in the window, from its first."""
        return "\n".join([*self.glass.gone, *self.glass.rows()]).rstrip("\n")

    def wait_for(self, what: str | Callable[[str], bool]) -> str:
        """Read until the screen shows these words, or the predicate says so; the screen."""
        deadline = time.monotonic() + PATIENCE
        while not (what in self.screen() if isinstance(what, str) else what(self.screen())):
            if not self._read(deadline):
                raise AssertionError(
                    f"waited for {what!r}{self.fate} and saw:\n{self.scrollback()}"
                )
        return self.screen()

    def resize(self, columns: int, rows: int) -> None:
        """Make the window smaller or larger."""
        self.glass.resize(rows, columns)
        termios.tcsetwinsize(self._keys, (rows, columns))

    def hang_up(self) -> int:
        """Close the window, which is SIGHUP; the exit code, negative for a signal."""
        self.close_window()
        return self._process.wait(timeout=PATIENCE)

    def close_window(self) -> None:
        """Close the window and do not wait for the program."""
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), self._keys)

    def _show(self, piece: bytes) -> None:
        super()._show(piece)
        self._stream.feed(piece)


class FreshScreenTerminal(ScreenTerminal):
    """The same for what is about the start itself."""

    is_fresh = True
