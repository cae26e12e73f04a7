"""Run a program in the sandbox, and retry once if the sandbox itself could not start.

Between the scan of the machine and the start of bubblewrap a socket that must be hidden may vanish,
and bubblewrap fails. The first program inside prints a random mark: without the mark nothing has
run, so a retry repeats nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from ..process.launcher import (
    CapturedOutput,
    ProcessExit,
    Sink,
    TimeLimit,
    capture_output,
    stream_output,
)
from .sandbox import Sandbox

TRIES = 4
_ANNOUNCE_START = ("/bin/sh", "-c", 'printf "%s\\n" "$0"; exec "$@"')


async def stream_inside(
    sandbox: Sandbox | None,
    argv: Sequence[str],
    *,
    cwd: Path,
    timeout: float | TimeLimit,
    on_output: Sink,
    env: Mapping[str, str] | None = None,
    extra_writable: Sequence[Path] = (),
    namespaces: Sequence[int] = (),
) -> ProcessExit:
    """Stream output as `launcher.stream_output` does, in the sandbox if there is one.

    `extra_writable` are MaxAgent's folders that the program may write to, `namespaces` the private
    network that it enters. Raises ToolError for a project that cannot be protected.
    """
    if sandbox:
        env = {**await asyncio.to_thread(sandbox.build_environment), **(env or {})}
    if sandbox is None or not sandbox.is_on:
        return await stream_output(argv, cwd=cwd, timeout=timeout, on_output=on_output, env=env)
    tries = 0
    while True:
        marker = StartMarker(on_output)
        async with sandbox.wrap(
            marker.wrap_command(argv),
            cwd,
            extra_writable=extra_writable,
            in_network=bool(namespaces),
        ) as confined:
            ended = await stream_output(
                confined.argv,
                cwd=cwd,
                timeout=timeout,
                on_output=marker.add,
                env=env,
                namespaces=namespaces,
                guard=confined.guard,
            )
        tries += 1
        if marker.has_started or ended.timed_out or tries == TRIES:
            marker.close()
            return ended


async def capture_inside(
    sandbox: Sandbox | None,
    argv: Sequence[str],
    *,
    cwd: Path,
    timeout: float,
    env: Mapping[str, str] | None = None,
    extra_writable: Sequence[Path] = (),
) -> CapturedOutput:
    """Capture output and errors as `launcher.capture_output` does, in the sandbox if there is one.

    `extra_writable` are MaxAgent's folders that the program may write to. Raises OSError, and
    ToolError for a project that cannot be protected.
    """
    if sandbox:
        env = {**await asyncio.to_thread(sandbox.build_environment), **(env or {})}
    if sandbox is None or not sandbox.is_on:
        return await capture_output(argv, cwd=cwd, timeout=timeout, env=env)
    tries = 0
    while True:
        output = bytearray()
        marker = StartMarker(output.extend)
        async with sandbox.wrap(
            marker.wrap_command(argv), cwd, extra_writable=extra_writable
        ) as confined:
            line, guard = confined.argv, confined.guard
            captured = await capture_output(line, cwd=cwd, timeout=timeout, env=env, guard=guard)
        marker.add(captured.stdout)
        tries += 1
        if marker.has_started or captured.timed_out or tries == TRIES:
            marker.close()
            return replace(captured, stdout=bytes(output))


class StartMarker:
    """Detects that the program has started, by the mark before its output."""

    def __init__(self, on_output: Sink) -> None:
        self.has_started = False
        self._on_output = on_output
        self._mark = uuid4().hex
        self._early = b""

    def wrap_command(self, argv: Sequence[str]) -> list[str]:
        """Wrap the program in one that prints the mark first."""
        return [*_ANNOUNCE_START, self._mark, *argv]

    def add(self, piece: bytes) -> None:
        """Pass on the program's output without the mark."""
        if self.has_started:
            self._on_output(piece)
            return
        self._early += piece
        before, mark, after = self._early.partition(f"{self._mark}\n".encode())
        if mark:
            self.has_started = True
            self._forward(before + after)

    def close(self) -> None:
        """Pass on the output that came without a mark: why the sandbox could not start."""
        if not self.has_started:
            self._forward(self._early)

    def _forward(self, piece: bytes) -> None:
        if piece:
            self._on_output(piece)
