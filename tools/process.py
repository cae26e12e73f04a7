"""The only place that starts a child: its own process group, no input, a clean environment.

Nothing outlives a call. At the end, on time-out and on cancellation the whole group is stopped,
and should MaxAgent itself be killed, a guard stops it: a second shell that waits on a pipe which
closes when MaxAgent dies. A descendant that moves to a session of its own (`setsid`) is out of
their reach.
"""

import asyncio
import contextlib
import os
import signal
import time
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import cast

from .environment import child_environment

SHELL = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
"""What runs command lines: bash where there is one, since that is what models write."""
GRACE = 2.0
"""Seconds between asking a group to end (TERM) and ending it (KILL)."""
LAST_WORDS = 0.5
"""Seconds to go on reading while a descendant holds the output: after the command has ended, and
once more after its group was killed."""

_START = 'read -r go && exec "$@" </dev/null'
"""The command begins only when the guard knows of it: its pipe ends with MaxAgent."""
_GUARD = 'read -r group && { read -r end; kill -s KILL -- "-$group"; }'

Sink = Callable[[bytes], None]


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    exit_code: int
    """As shells count: 128 + number of the signal that killed it, 127 for a program not found."""
    timed_out: bool
    duration: float
    """Seconds."""


@dataclass(frozen=True)
class Captured:
    """How a command ended and what it said."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    cut: bool
    """Whether more was said than the limit allowed; the beginning is kept."""

    @property
    def text(self) -> str:
        """The output as text, with damaged UTF-8 repaired."""
        return self.stdout.decode(errors="replace")


async def capture(
    argv: Sequence[str],
    *,
    cwd: Path,
    timeout: float,
    limit: int = 1_000_000,
    env: Mapping[str, str] | None = None,
) -> Captured:
    """Run a program and keep the first `limit` bytes of its output and of its errors.

    `env` is added to what every child gets. Raises OSError when `cwd` is not a folder.
    """
    said, complained = _Kept(limit), _Kept(limit)
    ended = await _run(argv, cwd, timeout, env, said, complained)
    cut = said.cut or complained.cut
    return Captured(ended.exit_code, bytes(said.data), bytes(complained.data), ended.timed_out, cut)


async def stream(
    argv: Sequence[str],
    *,
    cwd: Path,
    timeout: float,
    on_output: Sink,
    env: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program and hand on its output and errors, as they come, in pieces up to 256 KiB."""
    return await _run(argv, cwd, timeout, env, on_output)


class _Kept:
    """A sink that keeps the beginning."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self.cut = False
        self._limit = limit

    def __call__(self, piece: bytes) -> None:
        room = self._limit - len(self.data)
        self.data += piece[:room]
        self.cut = self.cut or len(piece) > room


class _Output(asyncio.Protocol):
    """Hands every piece to the sink; `ended` is done when nobody holds the pipe any more."""

    def __init__(self, sink: Sink) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sink = sink

    def data_received(self, data: bytes) -> None:
        if self.ended.done():
            return
        try:
            self._sink(data)
        except Exception as error:
            self.ended.set_exception(error)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


async def _run(
    argv: Sequence[str],
    cwd: Path,
    timeout: float,
    env: Mapping[str, str] | None,
    *sinks: Sink,
) -> Ended:
    began, timed_out = time.monotonic(), False
    async with contextlib.AsyncExitStack() as stack:
        pipes = [await stack.enter_async_context(_pipe(sink)) for sink in sinks]
        ended = [output.ended for _, output in pipes]
        async with _group(argv, cwd, env, [writer for writer, _ in pipes]) as child:
            try:
                async with asyncio.timeout(timeout):
                    await child.wait()
                await asyncio.wait(ended, timeout=LAST_WORDS)
            except TimeoutError:
                timed_out = True
        finished, _ = await asyncio.wait(ended, timeout=LAST_WORDS)
        for output in finished:
            output.result()
    return Ended(_shell_code(child), timed_out, time.monotonic() - began)


@contextlib.asynccontextmanager
async def _pipe(sink: Sink) -> AsyncGenerator[tuple[FileIO, _Output], None]:
    reader, writer = (FileIO(end, mode) for end, mode in zip(os.pipe(), "rw", strict=True))
    loop = asyncio.get_running_loop()
    transport, output = await loop.connect_read_pipe(lambda: _Output(sink), reader)
    try:
        yield writer, output
    finally:
        transport.close()
        writer.close()


@contextlib.asynccontextmanager
async def _group(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str] | None, writers: Sequence[FileIO]
) -> AsyncGenerator[Process, None]:
    """A running command, whose whole process group has ended when the context is left."""
    guard = await _spawn([_GUARD], None, {}, DEVNULL, DEVNULL)
    try:
        errors = writers[1] if writers[1:] else STDOUT
        environment = child_environment(os.environ, env)
        child = await _spawn([_START, "sh", *argv], cwd, environment, writers[0], errors)
        for writer in writers:
            writer.close()
        _input(guard).write(b"%d\n" % child.pid)
        _input(child).write(b"\n")
        _input(child).close()
        try:
            yield child
        finally:
            await _end(child)
    finally:
        guard.kill()
        _input(guard).close()
        await guard.wait()


async def _spawn(
    arguments: Sequence[str],
    cwd: Path | None,
    env: Mapping[str, str],
    stdout: int | FileIO,
    stderr: int | FileIO,
) -> Process:
    return await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        *arguments,
        cwd=cwd,
        env=env,
        stdin=PIPE,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )


def _input(process: Process) -> asyncio.StreamWriter:
    return cast(asyncio.StreamWriter, process.stdin)


async def _end(child: Process) -> None:
    """Stop what is left of the group: TERM first, unless the command itself has ended."""
    try:
        if child.returncode is None:
            _signal(child, signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await child.wait()
    finally:
        _signal(child, signal.SIGKILL)
        await child.wait()


def _signal(child: Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def _shell_code(child: Process) -> int:
    code = child.returncode or 0
    return code if code >= 0 else 128 - code
