"""MCP over the input and output of a child process: one JSON message a line.

The child belongs to our supervisor: it ends with MaxAgent, SIGKILL included. A server that the
project defines runs in the project's sandbox and folder. One of the user's runs as the user, and in
the user's home, since `python -m` and `npx` take programs from the folder they start in.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from ....config.text import text
from ...named_scripts import explain_unconfirmed_server
from ...process.launcher import GRACE, RunningProgram, open_program
from ...sandbox.sandbox import Sandbox
from ..errors import McpError
from ..server_config import McpServer
from .raw_answers import BOM, read_unparsed_answer
from .server_log import ServerLog

# Bytes of one message; a server that says more in a line is ended
MAX_MESSAGE_BYTES = 64_000_000
# Bytes of lines in a row that are no messages; a server that says more is ended
MAX_NOISE_BYTES = 1_000_000
_PIECE = 256 * 1024


@asynccontextmanager
async def open_stdio(
    server: McpServer, sandbox: Sandbox | None, log: ServerLog
) -> AsyncGenerator["StdioStreams"]:
    """Start the server and yield its streams; on exit end it. Raises McpError."""
    cwd = _find_folder(server, sandbox)
    argv, guard = [server.command, *server.args], None
    if server.from_project and sandbox:
        words = [server.cwd, *argv, *server.env.values()]
        named = filter(None, words)
        if changed := await asyncio.to_thread(explain_unconfirmed_server, named, sandbox.workspace):
            raise McpError(changed)
    async with AsyncExitStack() as stack:
        if server.from_project and sandbox:
            confined = await stack.enter_async_context(sandbox.wrap(argv, cwd))
            argv, guard = confined.argv, confined.guard
        try:
            program = await stack.enter_async_context(
                open_program(argv, cwd=cwd, env=server.env, on_error=log.add, guard=guard)
            )
        except (OSError, ValueError) as error:
            raise McpError(text("cannot start it: {reason}", reason=error)) from error
        streams = StdioStreams(program, log)
        stack.callback(log.close)
        yield streams


def _find_folder(server: McpServer, sandbox: Sandbox | None) -> Path:
    if not server.from_project:
        home = Path.home()  # a user without one is usual in containers
        return Path(server.cwd).expanduser() if server.cwd else home if home.is_dir() else Path("/")
    if sandbox is None:
        raise McpError(text("a project's server starts only in the project's sandbox"))
    return sandbox.workspace.root / server.cwd


class StdioStreams:
    """Both directions of a running server; `mcp` takes it as reader and as writer."""

    def __init__(self, program: RunningProgram, log: ServerLog) -> None:
        self._program, self._log = program, log
        self._lines: list[bytes] = []
        self._rest: list[bytes] = []
        self._size = 0
        self._noise = 0
        self.problem = ""
        """Why it was ended for what it wrote; empty if it was not."""
        self.ended = asyncio.Event()
        """Set when nothing more can come."""

    async def explain_end(self) -> str:
        """Return why the server no longer answers, in one line."""
        if self.problem:
            return self.problem
        code = await self._program.wait_for_end(GRACE)
        if code is None:
            return text("it closed its output")
        if self._log.last_line:
            return text(
                "it ended with exit code {code}: {line}", code=code, line=self._log.last_line
            )
        return text("it ended with exit code {code}", code=code)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message; lines that are none go to the log."""
        while True:
            for position, line in enumerate(self._lines):
                if message := self._parse(line):
                    del self._lines[: position + 1]
                    return message
                if self.problem:
                    break
            self._lines = [] if self.problem else await self._read_lines()
            if not self._lines:
                self.ended.set()
                raise StopAsyncIteration

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message; to a server that has ended nothing is sent, which its reader notices."""
        data = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        writer = self._program.input
        if writer.is_closing():
            return
        try:
            writer.write(data.encode() + b"\n")
            await writer.drain()
        except ConnectionError:
            return

    async def aclose(self) -> None:
        """Do nothing: the process belongs to `open_stdio`."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return await self.receive()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        return None

    def _parse(self, line: bytes) -> SessionMessage | None:
        if not line.strip():
            return None
        try:
            line = line.removeprefix(BOM)
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:  # servers print what belongs to their errors
            if odd := read_unparsed_answer(line):
                return SessionMessage(odd)
            self._log.add(line[:_PIECE] + b"\n")
            self._noise += len(line)
            if self._noise > MAX_NOISE_BYTES:
                self.problem = text("it writes lines that are not messages")
            return None
        self._noise = 0
        return SessionMessage(message)

    async def _read_lines(self) -> list[bytes]:
        """Read until at least one line is complete; none at the end."""
        while True:
            try:
                piece = await self._program.output.read(_PIECE)
            except ConnectionError:
                piece = b""
            if not piece:
                return []
            *ended, rest = piece.split(b"\n")
            if ended:
                first = b"".join([*self._rest, ended[0]])
                self._rest, self._size = [rest], len(rest)
                return [first, *ended[1:]]
            self._rest.append(piece)
            self._size += len(piece)
            if self._size > MAX_MESSAGE_BYTES:
                limit = MAX_MESSAGE_BYTES // 1_000_000
                self.problem = text("it sent a message of more than {limit} MB", limit=limit)
                return []
