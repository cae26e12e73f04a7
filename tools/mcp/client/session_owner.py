"""The task that opens a session, holds it, and closes it: `mcp` wants all three in one task."""

import asyncio
from pathlib import Path

import httpx2
from pydantic import ValidationError

from ....config.text import text
from ...process.launcher import GRACE, UNKILLABLE
from ...sandbox.sandbox import Sandbox
from ..definition import ServerDefinitions
from ..errors import McpError
from ..server_config import McpServer
from .http_transport import read_reason
from .server_log import ServerLog, get_log_path
from .session import McpSession, SessionCallbacks, iter_leaves, open_session

# Characters of an error that are told
MAX_REASON = 300


class SessionOwner:
    """A session from its start to its end; `opened` is done when it can be used, or failed."""

    def __init__(
        self,
        server: McpServer,
        home: Path,
        sandbox: Sandbox | None,
        cached: ServerDefinitions | None,
        callbacks: SessionCallbacks,
    ) -> None:
        self.reason = ""
        """Why it ended, in one line; empty if it was stopped."""
        self.is_by_memory = bool(cached)
        """Whether the protocol was not negotiated, but known from last time."""
        self._server = server
        self._log = ServerLog(get_log_path(home, server.name))
        self._opening = open_session(server, home, sandbox, cached, callbacks, self._log)
        self._stop = asyncio.Event()
        self.opened: asyncio.Future[tuple[McpSession, ServerDefinitions]] = (
            asyncio.get_running_loop().create_future()
        )
        self.opened.add_done_callback(lambda future: future.cancelled() or future.exception())
        self._task = asyncio.create_task(self._run())

    @property
    def is_usable(self) -> bool:
        """Whether it is being opened, or open."""
        if self._stop.is_set() or self._task.done() or self.reason:
            return False
        session = self.opened.done() and not self.opened.exception() and self.opened.result()[0]
        return not (session and session.has_ended)

    async def wait_for_reason(self) -> str:
        """Wait a moment for the end of a session that was just lost; return why."""
        timeout = 2 * GRACE if self._server.transport == "stdio" else 0.2
        await asyncio.wait([self._task], timeout=timeout)
        return self.reason or text("the connection was lost")

    async def stop(self) -> None:
        """End the session and the server's process."""
        self._stop.set()
        if not self.opened.done():
            self._task.cancel()
        _, running = await asyncio.wait([self._task], timeout=2 * GRACE + UNKILLABLE)
        for task in running:
            task.cancel()

    async def _run(self) -> None:
        timer = asyncio.get_running_loop().call_later(self._server.connect_timeout, self._give_up)
        try:
            async with self._opening as session:
                definitions = await session.list_definitions()
                timer.cancel()
                if self.opened.done():
                    return
                self.opened.set_result((session, definitions))
                self.reason = await self._wait_for_end(session)
        except Exception as error:
            self.reason = self.reason or describe_error(error)
        finally:
            timer.cancel()
            self._fail(self.reason or text("it was stopped"))

    def _give_up(self) -> None:
        """Fail at once; ending the server's process may take a while."""
        seconds = f"{self._server.connect_timeout:g}"
        self.reason = text("it did not answer within {seconds} s", seconds=seconds)
        if line := self._log.last_line:
            self.reason = text("{reason}; its last line is: {line}", reason=self.reason, line=line)
        self._fail(self.reason)
        self._task.cancel()

    def _fail(self, reason: str) -> None:
        if not self.opened.done():
            self.opened.set_exception(McpError(reason))

    async def _wait_for_end(self, session: McpSession) -> str:
        """Wait until the session has ended or is to end; return why it ended by itself."""
        waits = [
            asyncio.create_task(session.wait_for_end()),
            asyncio.create_task(self._stop.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()
        return "" if self._stop.is_set() else await session.explain_end()


def describe_error(error: BaseException) -> str:
    """Return the first real error in one line: `mcp` wraps them in groups."""
    first = next(iter_leaves(error), error)
    if isinstance(first, McpError):
        return first.reason
    if isinstance(first, ValidationError):
        return text("its answer is wrong: {reason}", reason=_describe_field(first)[:MAX_REASON])
    if isinstance(first, httpx2.HTTPStatusError):
        return read_reason(first)[:MAX_REASON]
    message = str(first).strip().partition("\n")[0][:MAX_REASON]
    return message or type(first).__name__


def _describe_field(error: ValidationError) -> str:
    """Return what is wrong with the first wrong field."""
    details = error.errors(include_url=False, include_input=False)
    path = ".".join(map(str, details[0]["loc"])) if details else ""
    return f"`{path}`: {details[0]['msg']}" if path else error.title
