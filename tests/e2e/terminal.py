"""A program at a terminal of its own: what it shows is read, and keys are typed."""

import os
import select
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from warm_start import Session, fork_at_terminal

PATIENCE = 60.0
"""Seconds after which nothing more is expected."""
CTRL_D = "\x04"
READY = "↑↓ move · Esc"
"""Begins the last row below a question as soon as a key counts."""
CONFIRM = "\x1b[B\r"
"""From the no of a question that wants Enter, on to its first choice, the yes."""


class Terminal:
    """A process whose three streams are one pseudo-terminal."""

    session: Session = "own"
    wrapper: Sequence[str] = ()
    """What starts a program that is not forked."""
    is_fresh = False
    """Whether the program has to load all libraries itself, as for a person."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: Path,
        environ: Mapping[str, str],
        *,
        columns: int = 80,
        rows: int = 24,
    ) -> None:
        self._keys, other = os.openpty()
        termios.tcsetwinsize(other, (rows, columns))
        environ = {"TERM": "xterm-256color", **environ}
        forked = (
            None if self.is_fresh else fork_at_terminal(argv, cwd, environ, other, self.session)
        )
        self._process = forked or subprocess.Popen(
            [*self.wrapper, *argv],
            cwd=cwd,
            env=environ,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        self.pid = self._process.pid
        self.shown = ""
        """Everything so far, colours included."""

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *error: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._keys)

    def until(self, text: str) -> str:
        """Read until these words are shown; all that was shown."""
        start, deadline = len(self.shown), time.monotonic() + PATIENCE
        while text not in self.shown[start:]:
            if not self._read(deadline):
                raise AssertionError(
                    f"`{text}` was not shown{self.fate}, but: {self.shown[start:]}"
                )
        return self.shown

    def type(self, keys: str) -> Self:
        """Type these keys."""
        os.write(self._keys, keys.encode())
        return self

    def end(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            continue
        return self._process.wait(timeout=PATIENCE)

    def reads_within(self, seconds: float) -> bool:
        """Read a piece; False if the program writes nothing for so long."""
        return self._read(time.monotonic() + seconds)

    @property
    def fate(self) -> str:
        """Words on how the program ended, for whoever waits in vain; empty: it has not."""
        code = self._process.poll()
        return "" if code is None else f" (the program has ended with {code})"

    def _read(self, deadline: float) -> bool:
        """Read a piece; False at the end, which Linux tells as an error of the device."""
        ready, _, _ = select.select([self._keys], [], [], max(0, deadline - time.monotonic()))
        try:
            piece = os.read(self._keys, 65_536) if ready else b""
        except OSError:
            piece = b""
        self._show(piece)
        return bool(piece)

    def _show(self, piece: bytes) -> None:
        self.shown += piece.decode(errors="replace")


class FreshTerminal(Terminal):
    """The same for what is about the start itself."""

    is_fresh = True
