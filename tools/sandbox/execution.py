"""Run a program behind the sandbox's wall, and once more where the wall itself could not be built.

Between the look at the machine and the building of the wall a socket may vanish that was to be
hidden, and bubblewrap gives up. What it runs first prints a mark that nobody can know: without the
mark nothing has run, so trying again repeats nothing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from ..process.launcher import ProcessExit, Sink, stream_output
from .sandbox import Sandbox

TRIES = 4


_ANNOUNCE_START = ("/bin/sh", "-c", 'printf "%s\\n" "$0"; exec "$@"')


async def stream_inside(
    sandbox: Sandbox | None,
    argv: Sequence[str],
    *,
    cwd: Path,
    timeout: float,
    on_output: Sink,
    env: Mapping[str, str] | None = None,
    also: Sequence[Path] = (),
) -> ProcessExit:
    """As `process.stream`, behind the wall if there is one; `also` are folders of ours to write to.

    Raises ToolError for a project that cannot be guarded.
    """
    if sandbox is None or not sandbox.is_on:
        return await stream_output(argv, cwd=cwd, timeout=timeout, on_output=on_output, env=env)
    tries = 0
    while True:
        begun = StartMarker(on_output)
        async with sandbox.wrap(begun.wrap_command(argv), cwd, also=also) as line:
            ended = await stream_output(
                line, cwd=cwd, timeout=timeout, on_output=begun.add, env=env
            )
        tries += 1
        if begun.is_told or ended.timed_out or tries == TRIES:
            begun.close()
            return ended


class StartMarker:
    """Whether the program has begun to run, by the mark that goes before its output."""

    def __init__(self, on_output: Sink) -> None:
        self.is_told = False
        self._on_output = on_output
        self._mark = uuid4().hex
        self._early = b""

    def wrap_command(self, argv: Sequence[str]) -> list[str]:
        """The program behind the one that prints the mark."""
        return [*_ANNOUNCE_START, self._mark, *argv]

    def add(self, piece: bytes) -> None:
        """Hand the program's output on, without the mark."""
        if self.is_told:
            self._on_output(piece)
            return
        self._early += piece
        before, mark, after = self._early.partition(f"{self._mark}\n".encode())
        if mark:
            self.is_told = True
            self._forward(before + after)

    def close(self) -> None:
        """Hand on what was said instead of the mark: why the wall could not be built."""
        if not self.is_told:
            self._forward(self._early)

    def _forward(self, piece: bytes) -> None:
        if piece:
            self._on_output(piece)
