"""The connection to one MCP server: started by the first use, started again when it was lost."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..result import CallResult
from ..sandbox.sandbox import Sandbox
from .definition import Era, ServerDefinitions
from .definition_cache import keep_definitions, read_definitions
from .errors import McpError, describe_reported_error, describe_unknown_outcome, describe_unusable
from .input_request import (
    Elicit,
    InputAnswer,
    InputAnswers,
    InputRequest,
    InputRequired,
    OnProgress,
)
from .server_config import McpServer
from .server_policy import explain_refused_server

if TYPE_CHECKING:  # these import `mcp`: only when a server is used
    from .client.exchange import ExchangeError, RunningExchange
    from .client.session import McpSession
    from .client.session_owner import SessionOwner

# Seconds without a call after which a server's process is stopped
IDLE_SECONDS = 15 * 60.0
# Seconds between two refreshes that a server asks for
REFRESH_PAUSE = 1.0
# Seconds before a lost connection is opened anew
RECONNECT_PAUSE = 0.3
# Seconds after a failed start in which there is no other: the first, and the most
FIRST_PAUSE, MAX_PAUSE = 1.0, 60.0

OnChange = Callable[[McpServer, ServerDefinitions], None]
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class ServerStatus:
    """What is known of a server by its last real exchange."""

    state: Literal["idle", "starting", "ready", "failed"] = "idle"
    reason: str = ""
    """Why it failed, in one line."""
    era: Era = ""
    last_exchange: float = 0.0
    """When it last answered, in seconds since the epoch; 0: never."""
    tools: int = 0
    """How many tools it has."""


class McpConnection:
    """The connection to one server; its methods may run at the same time."""

    def __init__(
        self,
        server: McpServer,
        home: Path,
        sandbox: Sandbox | None = None,
        on_change: OnChange = lambda server, definitions: None,
    ) -> None:
        self.server = server
        self.status = ServerStatus()
        self._home, self._sandbox, self._on_change = home, sandbox, on_change
        self._owner: SessionOwner | None = None
        self._ending = set[asyncio.Task[None]]()
        self._opening = asyncio.Lock()
        self._definitions: ServerDefinitions | None = None
        self._exchanges: dict[RunningExchange, SessionOwner] = {}
        self._retired: set[SessionOwner] = set()
        self._refresh: asyncio.Task[None] | None = None
        self._needs_refresh = False
        self._failures = 0
        self._no_start_before = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None

    async def list_definitions(self, *, refresh: bool = False) -> ServerDefinitions:
        """Return what the server offers, connecting first; keep it for the next process.

        Asked once a connection, and again with `refresh` or when the server said that it changed.
        Raises McpError.
        """
        if not refresh:
            await self._open()
            return self._definitions or ServerDefinitions()
        definitions = await self._exchange(
            lambda session, _: session.list_definitions(rediscover=True)
        )
        await self._take_definitions(definitions)
        return definitions

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        outputs: Path | None = None,
        call_id: str = "",
        on_progress: OnProgress | None = None,
        elicit: Elicit | None = None,
        answers: InputAnswers | None = None,
    ) -> CallResult | InputRequired:
        """Call a tool; raises McpError.

        `outputs` and `call_id`: where images and long text are kept, and under which id. `elicit`
        answers what a server of the old era asks meanwhile; without it, questions are declined. A
        server of the new era asks by InputRequired: the same call with `answers` goes on.
        """
        await _import_client()
        from .client.content import convert_result
        from .client.exchange import call_tool

        answer = await self._exchange(
            lambda session, exchange: call_tool(
                session, exchange, name, arguments, on_progress, answers
            ),
            elicit,
        )
        if isinstance(answer, InputRequired):
            return answer
        source = f"{self.server.name}/{name}"
        return await asyncio.to_thread(convert_result, source, answer, outputs, call_id)

    async def read_resource(
        self, uri: str, *, outputs: Path | None = None, call_id: str = ""
    ) -> CallResult:
        """Read a resource; raises McpError."""
        await _import_client()
        from .client.content import convert_resource

        answer = await self._exchange(lambda session, _: session.read_resource(uri))
        name, contents = self.server.name, answer.contents
        return await asyncio.to_thread(convert_resource, name, contents, outputs, call_id)

    async def get_prompt(self, name: str, arguments: Mapping[str, str]) -> str:
        """Return the text of a prompt; raises McpError."""
        await _import_client()
        from .client.content import convert_prompt

        answer = await self._exchange(lambda session, _: session.get_prompt(name, arguments))
        return convert_prompt(self.server.name, answer)

    async def reconnect(self) -> None:
        """End the connection, if any, and connect anew; raises McpError."""
        await self.close()
        self._no_start_before = 0.0
        await self._open(by_memory=False)

    async def close(self) -> None:
        """End the connection and the server's process; a later call connects anew."""
        self._set_idle_timer(None)
        if self._refresh:
            self._refresh.cancel()
        self._drop_owner()
        while self._retired:
            self._end_session(self._retired.pop())
        if self._ending:
            await asyncio.wait(self._ending)
        if self.status.state != "failed":
            self.status = replace(self.status, state="idle")

    async def _exchange(
        self,
        request: "Callable[[McpSession, RunningExchange], Awaitable[_Answer]]",
        elicit: Elicit | None = None,
    ) -> _Answer:
        """Make a request; again, once a reason, if the server certainly has not handled it."""
        await _import_client()
        from .client.exchange import ExchangeError, RunningExchange

        tried = set[str]()
        while True:
            session, owner = await self._open(by_memory="negotiate" not in tried)
            exchange = RunningExchange(self.server.call_timeout, elicit)
            self._exchanges[exchange] = owner
            self._set_idle_timer(None)
            try:
                answer = await exchange.run(request(session, exchange))
                self.status = replace(self.status, state="ready", last_exchange=time.time())
                return answer
            except ExchangeError as failure:
                if failure.remedy in ("", "explain", "probe") or failure.remedy in tried:
                    raise await self._explain(failure, session, owner) from None
                tried.add(failure.remedy)
                await self._apply_remedy(failure.remedy, session, owner)
            finally:
                del self._exchanges[exchange]
                self._end_retired()
                self._set_idle_timer(IDLE_SECONDS)

    async def _apply_remedy(
        self, remedy: str, session: "McpSession", owner: "SessionOwner"
    ) -> None:
        if remedy == "relist":
            with suppress(Exception):  # then the same refusal comes again, and is told
                await session.list_definitions()
        elif self._owner is owner:  # else another call has done it
            self._retire_owner()
            await asyncio.sleep(RECONNECT_PAUSE)

    async def _explain(
        self, failure: "ExchangeError", session: "McpSession", owner: "SessionOwner"
    ) -> McpError:
        reason = failure.reason
        if failure.remedy == "probe":
            # a tool may have sessions of its own: only the server's is opened anew
            is_lost = self.server.transport != "stdio" and await session.is_lost()
            if is_lost and self._owner is owner:
                self._retire_owner()
            return describe_reported_error(self.server.name, reason, may_have_run=True)
        if failure.remedy == "explain":
            reason = await owner.wait_for_reason()
            if self._owner is owner:
                self._drop_owner()
        if failure.remedy:
            self.status = replace(self.status, state="failed", reason=reason)
        if failure.is_answer:
            may_have_run = failure.may_have_run
            return describe_reported_error(self.server.name, reason, may_have_run=may_have_run)
        describe = describe_unknown_outcome if failure.may_have_run else describe_unusable
        return describe(self.server.name, reason)

    async def _open(self, *, by_memory: bool = True) -> "tuple[McpSession, SessionOwner]":
        """Return the session, starting one if there is none; raises McpError."""
        if problem := self.server.problem or explain_refused_server(self.server):
            raise describe_unusable(self.server.name, problem)
        await _import_client()
        async with self._opening:
            owner = self._owner
            if not owner or not owner.is_usable:
                owner = await self._start_owner(by_memory)
        try:
            session, _ = await asyncio.shield(owner.opened)
        except McpError as error:
            raise describe_unusable(self.server.name, error.reason) from None
        return session, owner

    async def _start_owner(self, by_memory: bool) -> "SessionOwner":
        """Start a session and wait until it is open, or has failed."""
        from .client.session import SessionCallbacks
        from .client.session_owner import SessionOwner

        if time.monotonic() < self._no_start_before:
            raise describe_unusable(self.server.name, self.status.reason)
        self._drop_owner()
        self.status = replace(self.status, state="starting", reason="")
        cached = await asyncio.to_thread(read_definitions, self._home, self.server)
        callbacks = SessionCallbacks(self._note_change, self._elicit)
        owner = self._owner = SessionOwner(
            self.server, self._home, self._sandbox, cached if by_memory else None, callbacks
        )
        try:
            _, definitions = await asyncio.shield(owner.opened)
        except McpError as error:
            self._note_failure(error.reason)
            return owner
        self._failures = 0
        await self._take_definitions(definitions, cached)
        return owner

    def _note_failure(self, reason: str) -> None:
        """No call starts the server again for a while: it would make each of them wait."""
        pause = min(FIRST_PAUSE * 2**self._failures, MAX_PAUSE)
        self._failures += 1
        self._no_start_before = time.monotonic() + pause
        self.status = replace(self.status, state="failed", reason=reason)

    async def _take_definitions(
        self, definitions: ServerDefinitions, previous: ServerDefinitions | None = None
    ) -> None:
        """Keep what the server offers now; report what differs from what was known."""
        previous = self._definitions or previous
        self._definitions = definitions
        self.status = replace(
            self.status,
            state="ready",
            reason="",
            era=definitions.era,
            last_exchange=time.time(),
            tools=len(definitions.tools),
        )
        if definitions != previous:
            with suppress(OSError):  # the cache saves time, no more
                await asyncio.to_thread(keep_definitions, self._home, self.server, definitions)
            if previous:
                self._on_change(self.server, definitions)

    def _note_change(self) -> None:
        """Refresh the definitions, soon: the server said that they changed."""
        self._needs_refresh = True
        if not self._refresh or self._refresh.done():
            self._refresh = asyncio.create_task(self._refresh_definitions())

    async def _refresh_definitions(self) -> None:
        while self._needs_refresh and self._owner and self._owner.is_usable:
            self._needs_refresh = False
            with suppress(McpError):
                await self.list_definitions(refresh=True)
            await asyncio.sleep(REFRESH_PAUSE)

    async def _elicit(self, request: InputRequest) -> InputAnswer:
        """Ask the user for a server of the old era, in the latest call that can.

        The protocol does not say to which call its question belongs.
        """
        asking = next((each for each in reversed(list(self._exchanges)) if each.can_elicit), None)
        if not asking:
            return InputAnswer("decline")
        waiting = list(self._exchanges)
        for exchange in waiting:
            exchange.pause()
        try:
            return await asking.elicit(request)
        finally:
            for exchange in waiting:
                exchange.renew()

    def _drop_owner(self) -> None:
        """Let the session end, without waiting for it."""
        if self._owner:
            self._end_session(self._owner)
        self._owner = None

    def _retire_owner(self) -> None:
        """Open another session for what comes; what runs in this one may still be answered."""
        if self._owner:
            self._retired.add(self._owner)
        self._owner = None

    def _end_retired(self) -> None:
        for owner in self._retired - set(self._exchanges.values()):
            self._retired.discard(owner)
            self._end_session(owner)

    def _end_session(self, owner: "SessionOwner") -> None:
        task = asyncio.create_task(owner.stop())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _set_idle_timer(self, seconds: float | None) -> None:
        if self._idle_timer:
            self._idle_timer.cancel()
        self._idle_timer = None
        if seconds and self.server.transport == "stdio" and not self._exchanges:
            self._idle_timer = asyncio.get_running_loop().call_later(seconds, self._end_idle)

    def _end_idle(self) -> None:
        self._drop_owner()
        self.status = replace(self.status, state="idle")


async def _import_client() -> None:
    """Import `mcp` in a thread, if it is not: it takes half a second."""
    for module in ("session_owner", "exchange", "content"):
        await asyncio.to_thread(import_module, f"{__package__}.client.{module}")
