"""A command that stops half-way, says that it is there, and waits until it is let go."""

import os
import select
import shlex
from pathlib import Path
from typing import Self

from errand import Errand, Line
from trial import PATIENCE


class Gate:
    """Two named pipes in a folder; `command` writes one line before the gate and one after."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.lines = (f"{folder.name} begins", f"{folder.name} ends")
        self._names = [folder / "here", folder / "go"]
        for name in self._names:
            os.mkfifo(name)
        self._here, self._go = (os.open(name, os.O_RDWR) for name in self._names)

    @property
    def command(self) -> str:
        """The shell command."""
        here, go = (shlex.quote(str(name)) for name in self._names)
        begins, ends = self.lines
        return f"echo {begins} >> log.txt; echo > {here}; read -r _ < {go}; echo {ends} >> log.txt"

    def reached(self) -> bool:
        """Wait until the command stands at the gate."""
        ready, _, _ = select.select([self._here], [], [], PATIENCE)
        return bool(ready and os.read(self._here, 1))

    def open(self) -> None:
        """Let the command go."""
        os.write(self._go, b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._here)
        os.close(self._go)


def gated(*gates: Gate) -> Errand:
    """An errand whose coder passes these gates, one a turn."""
    turns = [
        {"text": f"Gate {number}.", "tool_calls": [_call(gate)]}
        for number, gate in enumerate(gates)
    ]
    lines = [
        Line(text, ("coder", number, 0)) for number, gate in enumerate(gates) for text in gate.lines
    ]
    scenario = {
        "architect": [{"text": "SMALL: pass the gates."}],
        "coder": [*turns, {"text": "Every gate is passed."}],
        "tester": [{"text": "Accepted: every gate is passed."}],
    }
    return Errand(scenario, {"log.txt": [Line("# log"), *lines], "notes.txt": [Line("# notes")]})


def _call(gate: Gate) -> dict[str, object]:
    return {"name": "run_command", "args": {"command": gate.command}}
