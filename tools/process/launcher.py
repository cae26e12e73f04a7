"""The only place that starts a child: in its own session, a clean environment, mostly no input.

No process outlives a call. At the end, on timeout and on cancellation every process that the
command started is stopped, even if MaxAgent itself is killed: commands are children of a supervisor
(`supervisor.py`), started with the first command, which kills them when its other end closes.
"""

import asyncio
import atexit
import contextlib
import marshal
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from .environment import build_child_environment

# The shell for command lines: bash if it exists, since models write for bash
SHELL = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
# Seconds between asking a command to end (TERM) and ending it (KILL)
GRACE = 2.0
# Seconds to keep reading while a descendant holds the output open: after the command has ended, and
# again after all processes were killed
LAST_WORDS = 0.5
# Seconds that killing may take: the system may hold a process
UNKILLABLE = 5.0

_FOLDER = str(Path(__file__).parent)
# Imported, it has bytecode; what else lies in its folder must not take the names of others
_SUPERVISE = "import sys; sys.path.append(sys.argv[2]); import supervisor; supervisor.main()"

Sink = Callable[[bytes], None]
# The rules of `creation_guard.py`, as JSON takes them
Guard = Mapping[str, object]


@dataclass(frozen=True)
class ProcessExit:
    """The result of a command."""

    exit_code: int
    """As in shells: 128 + number of the signal that killed it, 127 if the program was not found."""
    timed_out: bool
    duration: float
    """Seconds."""


@dataclass(frozen=True)
class CapturedOutput:
    """The result of a command and its output."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    cut: bool
    """Whether the output exceeded the limit; its beginning is kept."""

    @property
    def text(self) -> str:
        """The output as text, with invalid UTF-8 replaced."""
        return self.stdout.decode(errors="replace")


async def capture_output(
    argv: Sequence[str],
    *,
    cwd: Path,
    timeout: float,
    limit: int = 1_000_000,
    env: Mapping[str, str] | None = None,
    guard: Guard | None = None,
) -> CapturedOutput:
    """Run a program and keep the first `limit` bytes of its output and of its errors.

    `env` is added to what every child gets; `guard` are the rules of `creation_guard.py`. Raises
    OSError when `cwd` is not a folder.
    """
    stdout, stderr = _HeadSink(limit), _HeadSink(limit)
    ended = await _run_command(argv, cwd, TimeLimit(timeout), env, (), guard, stdout, stderr)
    cut = stdout.cut or stderr.cut
    return CapturedOutput(
        ended.exit_code, bytes(stdout.data), bytes(stderr.data), ended.timed_out, cut
    )


async def stream_output(
    argv: Sequence[str],
    *,
    cwd: Path,
    timeout: "float | TimeLimit",
    on_output: Sink,
    env: Mapping[str, str] | None = None,
    namespaces: Sequence[int] = (),
    guard: Guard | None = None,
) -> ProcessExit:
    """Run a program and pass on its output and errors, as they come, in pieces up to 256 KiB.

    `namespaces` are descriptors of those that it enters, each before the ones that it owns.
    """
    limit = timeout if isinstance(timeout, TimeLimit) else TimeLimit(timeout)
    return await _run_command(argv, cwd, limit, env, namespaces, guard, on_output)


class TimeLimit:
    """The seconds that a command has; `lift` lets it run on without a limit."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._timer: asyncio.Timeout | None = None

    def start(self) -> asyncio.Timeout:
        """Return the timer, to be entered at once."""
        self._timer = asyncio.timeout(self._seconds)
        return self._timer

    def lift(self) -> None:
        """Remove the limit, also from the command that runs; too late for one that is over."""
        self._seconds = None
        if self._timer:
            with contextlib.suppress(RuntimeError):
                self._timer.reschedule(None)


class RunningProgram:
    """A program that is spoken to: what it says comes from `output`, what it hears is `input`."""

    def __init__(
        self, command: "_Command", output: asyncio.StreamReader, input: asyncio.StreamWriter
    ) -> None:
        self.output, self.input = output, input
        self._command = command

    async def wait_for_end(self, timeout: float) -> int | None:
        """Wait for its end; return its exit code, or None when it still runs or was killed."""
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(timeout):
                await self._command.wait_for_end()
            return self._command.get_exit_code()
        return None


@contextlib.asynccontextmanager
async def open_program(
    argv: Sequence[str],
    *,
    cwd: Path,
    on_error: Sink,
    env: Mapping[str, str] | None = None,
    guard: Guard | None = None,
) -> AsyncGenerator[RunningProgram]:
    """Start a program and speak to it; its errors go to `on_error`.

    On exit its input ends; if it then does not, it is stopped as a command is. Raises OSError when
    `cwd` is not a folder.
    """
    async with contextlib.AsyncExitStack() as stack:
        errors, _ = await stack.enter_async_context(_open_pipe(on_error))
        ours, theirs = socket.socketpair()
        output, input = await asyncio.open_connection(sock=ours)
        stack.callback(input.close)
        ends = [FileIO(theirs.detach(), "w"), errors]
        stack.callback(ends[0].close)
        command = await stack.enter_async_context(
            _start_command(argv, cwd, env, ends, guard=guard, has_input=True)
        )
        try:
            yield RunningProgram(command, output, input)
        finally:
            with contextlib.suppress(OSError):
                input.write_eof()
            await asyncio.wait([asyncio.ensure_future(command.wait_for_end())], timeout=GRACE)


class _HeadSink:
    """A sink that keeps the first bytes."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self.cut = False
        self._limit = limit

    def __call__(self, piece: bytes) -> None:
        room = self._limit - len(self.data)
        self.data += piece[:room]
        self.cut = self.cut or len(piece) > room


class _OutputProtocol(asyncio.Protocol):
    """Passes every piece to the sink; `ended` is done when no process holds the pipe open."""

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


async def _run_command(
    argv: Sequence[str],
    cwd: Path,
    limit: TimeLimit,
    env: Mapping[str, str] | None,
    namespaces: Sequence[int],
    guard: Guard | None,
    *sinks: Sink,
) -> ProcessExit:
    started_at, timed_out = time.monotonic(), False
    async with contextlib.AsyncExitStack() as stack:
        pipes = [await stack.enter_async_context(_open_pipe(sink)) for sink in sinks]
        ended = [output.ended for _, output in pipes]
        writers = [writer for writer, _ in pipes]
        async with _start_command(argv, cwd, env, writers, namespaces, guard) as command:
            try:
                async with limit.start():
                    await command.wait_for_end()
                await asyncio.wait(ended, timeout=LAST_WORDS)
            except TimeoutError:
                timed_out = True
        finished, _ = await asyncio.wait(ended, timeout=LAST_WORDS)
        for output in finished:
            output.result()
    return ProcessExit(command.get_exit_code(), timed_out, time.monotonic() - started_at)


@contextlib.asynccontextmanager
async def _open_pipe(sink: Sink) -> AsyncGenerator[tuple[FileIO, _OutputProtocol], None]:
    reader, writer = (FileIO(end, mode) for end, mode in zip(os.pipe(), "rw", strict=True))
    loop = asyncio.get_running_loop()
    try:
        transport, output = await loop.connect_read_pipe(lambda: _OutputProtocol(sink), reader)
    except BaseException:
        reader.close()
        writer.close()
        raise
    try:
        yield writer, output
    finally:
        transport.close()
        writer.close()


@contextlib.asynccontextmanager
async def _start_command(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str] | None,
    writers: Sequence[FileIO],
    namespaces: Sequence[int] = (),
    guard: Guard | None = None,
    *,
    has_input: bool = False,
) -> AsyncGenerator["_Command"]:
    """Start a command; on exit, stop all that is left of it.

    `has_input`: the first of `writers` is a socket, which is also the command's input.
    """
    environ = build_child_environment(os.environ, env)
    request = {"argv": list(argv), "env": environ, "has_input": has_input, "guard": guard}
    outputs = [writers[0], writers[-1]]
    call = b"G" if guard else b"C"
    opening = asyncio.ensure_future(
        asyncio.to_thread(_open_channel, call, cwd, outputs, namespaces)
    )
    try:
        ours = await asyncio.shield(opening)
    except asyncio.CancelledError:  # the thread cannot be stopped
        await asyncio.wait((opening,))
        if not opening.exception():
            opening.result().close()
        raise
    reader, writer = await asyncio.open_connection(sock=ours)
    for output in writers:
        output.close()
    data = marshal.dumps(request)  # the supervisor is the same Python
    writer.write(struct.pack("!I", len(data)) + data)
    command = _Command(reader, writer)
    try:
        yield command
    finally:
        await command.end()


class _Command:
    """The client's end of a command's channel: see `supervisor.py`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._line = asyncio.ensure_future(_read_line(reader))
        self._reader = reader

    async def wait_for_end(self) -> None:
        """Wait until the command itself has ended."""
        await asyncio.shield(self._line)

    def get_exit_code(self) -> int:
        """Return the code as shells do; raises OSError if the supervisor was killed before that."""
        if not self._line.result():
            raise OSError("the command's supervisor was killed, and so was the command")
        return int(self._line.result())

    async def end(self) -> None:
        """Stop the remaining processes: TERM first, unless the command itself has ended."""
        try:
            if not self._line.done():
                self._writer.write(b"T")
                await asyncio.wait([self._line], timeout=GRACE)
        finally:
            with contextlib.suppress(OSError):
                self._writer.write_eof()
            await asyncio.shield(self._wait_until_gone())

    async def _wait_until_gone(self) -> None:
        try:
            with contextlib.suppress(ConnectionError):
                async with asyncio.timeout(UNKILLABLE):
                    await self._line
                    await self._reader.read()
        finally:
            self._writer.close()


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    """Read the supervisor's line; empty if the supervisor was killed."""
    with contextlib.suppress(ConnectionError):
        return await reader.readline()
    return b""


# The supervisor's process ID and its socket
_supervisor: tuple[int, socket.socket] | None = None
_starting = threading.Lock()


def _open_channel(
    call: bytes, cwd: Path, outputs: Sequence[FileIO], namespaces: Sequence[int]
) -> socket.socket:
    """Open the channel of a new call; the supervisor gets the other end."""
    folder = os.open(cwd, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            sent = [theirs.fileno(), *(output.fileno() for output in outputs), folder]
            _send_call(call, [*sent, *namespaces])
        except OSError:
            ours.close()
            raise
        finally:
            os.close(folder)
    return ours


def _send_call(call: bytes, descriptors: Sequence[int]) -> None:
    global _supervisor
    with _starting:
        if _supervisor is not None:
            process, control = _supervisor
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                socket.send_fds(control, [call], descriptors)
                return
            control.close()  # the supervisor was killed
            os.waitpid(process, 0)
        _supervisor = _start_supervisor()
        socket.send_fds(_supervisor[1], [call], descriptors)


def _start_supervisor() -> tuple[int, socket.socket]:
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.set_inheritable(True)
        process = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", "-c", _SUPERVISE, str(theirs.fileno()), _FOLDER],
            {name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)
            ],
            # a Ctrl-C while it starts is for MaxAgent alone: `supervisor.py` unblocks them
            setsigmask=(signal.SIGINT, signal.SIGTERM, signal.SIGHUP),
        )
    atexit.register(ours.close)
    return process, ours
