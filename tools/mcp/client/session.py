"""One session with an MCP server, of either era; the only door to `mcp` besides the transports.

Nothing here tries again: whoever holds the session does.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp import types as protocol
from mcp.client.session import (
    ClientRequestContext,
    ElicitationFnT,
    IncomingMessage,
    MessageHandlerFnT,
)
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from ...sandbox.sandbox import Sandbox
from ..definition import ServerDefinitions
from ..errors import McpError
from ..input_request import InputAnswer, InputRequest
from ..server_config import McpServer
from .answer_repair import AnswerRepair
from .http_transport import REFUSED, SESSION_LOST, open_http
from .input_translation import answer_to_result, request_from_params
from .listing import list_all
from .lost_session import names_lost_session
from .repaired_transport import PendingRequests, RecordingWriter, RepairedReader
from .server_log import ServerLog
from .stdio_transport import StdioStreams, open_stdio

# Seconds for the answer to a ping, and for another kind of HTTP than the configured one
PING_SECONDS, OTHER_SECONDS = 5.0, 5.0
# What a server answers to the other kind of HTTP
_OTHER_KIND = (400, 404, 405, 406)
# Seconds between two attempts to hear of changes
_LISTEN_PAUSE = 5.0
_CHANGES = (
    protocol.ToolListChangedNotification,
    protocol.PromptListChangedNotification,
    protocol.ResourceListChangedNotification,
)

# without a handler, Python prints the warnings of a library on the terminal
for _name in ("mcp", "client", "httpx2"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


@dataclass(frozen=True)
class SessionCallbacks:
    """What a session tells its owner, and asks it."""

    on_change: Callable[[], None]
    """The server's tools, prompts or resources have changed."""
    elicit: Callable[[InputRequest], Awaitable[InputAnswer]]
    """A server of the old era asks the user."""


class McpSession:
    """A session that is open: its calls may run at the same time."""

    def __init__(
        self,
        server: McpServer,
        client: Client,
        streams: StdioStreams | None,
        requests: PendingRequests,
        repair: AnswerRepair,
    ) -> None:
        self.server = server
        self._client, self._streams = client, streams
        self._requests, self._repair = requests, repair

    @property
    def is_new_era(self) -> bool:
        """Whether the server speaks the protocol since 2026-07-28."""
        return self._client.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def has_ended(self) -> bool:
        """Whether the server's process, or the stream of its answers, is known to be gone."""
        return self._requests.has_ended or bool(self._streams and self._streams.ended.is_set())

    async def explain_end(self) -> str:
        """Return why the server is gone, in one line; empty if nothing is known."""
        return await self._streams.explain_end() if self._streams else ""

    async def wait_for_end(self) -> None:
        """Wait until the server has ended; that of one over HTTP shows in its requests."""
        await (self._streams.ended if self._streams else asyncio.Event()).wait()

    async def list_definitions(self, *, rediscover: bool = False) -> ServerDefinitions:
        """Ask the server for all that it offers; raises MCPError."""
        session = self._client.session
        if rediscover and self.is_new_era:
            answer = await session.send_discover(self._client.protocol_version)
            session.adopt(protocol.DiscoverResult.model_validate(answer))
        definitions = await list_all(self.server.name, self._client)
        left_out = (f"{name} ({reason})" for name, reason in self._repair.left_out.items())
        return replace(definitions, left_out=(*definitions.left_out, *left_out))

    async def is_lost(self) -> bool:
        """Return whether the server has forgotten the session, by a question without effects."""
        try:
            async with asyncio.timeout(PING_SECONDS):
                await self._client.session.send_ping()
        except TimeoutError:
            return False
        except MCPError as error:
            return error.code == SESSION_LOST or names_lost_session(error.message)
        return False

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        on_progress: ProgressFnT,
        responses: Mapping[str, protocol.ElicitResult] | None,
        state: str | None,
    ) -> protocol.CallToolResult | protocol.InputRequiredResult:
        """Call a tool once; raises MCPError."""
        return await self._client.session.call_tool(
            name,
            dict(arguments),
            progress_callback=on_progress,
            input_responses=dict(responses) if responses is not None else None,
            request_state=state,
            allow_input_required=True,
        )

    async def read_resource(self, uri: str) -> protocol.ReadResourceResult:
        """Read a resource; raises MCPError."""
        return await self._client.session.read_resource(uri)

    async def get_prompt(self, name: str, arguments: Mapping[str, str]) -> protocol.GetPromptResult:
        """Get a prompt; raises MCPError."""
        return await self._client.session.get_prompt(name, dict(arguments))


@asynccontextmanager
async def open_session(
    server: McpServer,
    home: Path,
    sandbox: Sandbox | None,
    cached: ServerDefinitions | None,
    callbacks: SessionCallbacks,
    log: ServerLog,
) -> AsyncGenerator[McpSession]:
    """Connect to a server; on exit disconnect, and end its process.

    `cached` is what it offered before: it saves the questions which protocol it speaks. Servers of
    the old era may end at the first of them, since it comes before their handshake.
    """
    mode = _choose_mode(server, cached)
    async with AsyncExitStack() as stack:
        opening = _open_in_mode(server, home, sandbox, mode, callbacks, log)
        try:
            session = await stack.enter_async_context(opening)
        except _EndedError as error:
            if mode["mode"] != "auto":
                raise
            mode = {"mode": "legacy"}
            opening = _open_in_mode(server, home, sandbox, mode, callbacks, log)
            try:
                session = await stack.enter_async_context(opening)
            except _EndedError:
                raise
            except McpError:  # it may not start again, for what it has changed: say why it ended
                raise error from None
        except Exception as error:
            if server.transport == "stdio" or not _is_other_kind(error):
                raise
            session = await _enter_other_kind(stack, server, home, callbacks, log, error)
        yield session


async def _enter_other_kind(
    stack: AsyncExitStack,
    server: McpServer,
    home: Path,
    callbacks: SessionCallbacks,
    log: ServerLog,
    refusal: Exception,
) -> McpSession:
    """Connect over the other kind of HTTP, the older or the newer; raises the refusal."""
    is_old = server.transport == "sse"
    other = replace(server, transport="http" if is_old else "sse")
    mode = {"mode": "auto" if is_old else "legacy"}
    try:
        async with asyncio.timeout(OTHER_SECONDS):
            return await stack.enter_async_context(
                _open_in_mode(other, home, None, mode, callbacks, log)
            )
    except Exception:
        raise refusal from None


def _is_other_kind(error: BaseException) -> bool:
    """Return whether a server refused the first request as one of the other kind of HTTP does."""
    first = next(iter_leaves(error), error)
    if isinstance(first, httpx2.HTTPStatusError):
        return first.response.status_code in _OTHER_KIND
    if not isinstance(first, MCPError) or first.code != REFUSED:
        return False
    return first.error.data in [{"status": status} for status in _OTHER_KIND]


def iter_leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the real errors: `mcp` wraps them in groups."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            yield from iter_leaves(each)  # pyright: ignore[reportUnknownArgumentType]
    elif not isinstance(error, asyncio.CancelledError):
        yield error


class _EndedError(McpError):
    """The server's process has ended before the session was open."""


@asynccontextmanager
async def _open_in_mode(
    server: McpServer,
    home: Path,
    sandbox: Sandbox | None,
    mode: dict[str, Any],
    callbacks: SessionCallbacks,
    log: ServerLog,
) -> AsyncGenerator[McpSession]:
    async with AsyncExitStack() as stack:
        streams: StdioStreams | None = None
        if server.transport == "stdio":
            streams = await stack.enter_async_context(open_stdio(server, sandbox, log))
            transport: Any = _pair(streams)
        else:
            transport = open_http(server, home)
        repair, requests = AnswerRepair(), PendingRequests()
        client = Client(
            _with_repair(transport, requests, repair),
            cache=None,
            client_info=_describe_client(),
            message_handler=_build_handler(callbacks),
            elicitation_callback=_build_elicitation(callbacks),
            **mode,
        )
        await _enter_client(stack, client, streams)
        # what the server answers counts, also where its own schema says otherwise
        client.session.validate_tool_result = _accept_result
        listener = asyncio.create_task(_listen_for_changes(client, callbacks))
        stack.push_async_callback(_cancel, listener)
        yield McpSession(server, client, streams, requests, repair)


async def _enter_client(
    stack: AsyncExitStack, client: Client, streams: StdioStreams | None
) -> None:
    try:
        await stack.enter_async_context(client)
    except Exception:
        if streams and streams.ended.is_set():
            reason = await streams.explain_end()
            raise (McpError if streams.problem else _EndedError)(reason) from None
        raise


@asynccontextmanager
async def _with_repair(
    transport: Any, requests: PendingRequests, repair: AnswerRepair
) -> AsyncGenerator[tuple[Any, Any]]:
    async with transport as (reader, writer):
        recording = RecordingWriter(writer, requests)
        yield RepairedReader(reader, recording, requests, repair), recording


@asynccontextmanager
async def _pair(streams: StdioStreams) -> AsyncGenerator[tuple[StdioStreams, StdioStreams]]:
    yield streams, streams


def _choose_mode(server: McpServer, cached: ServerDefinitions | None) -> dict[str, Any]:
    # the transport `sse` is older than the new era
    if server.transport == "sse" or (cached and cached.era == "old"):
        return {"mode": "legacy"}
    if cached and cached.discovered and cached.version in MODERN_PROTOCOL_VERSIONS:
        with suppress(ValueError):
            discovered = protocol.DiscoverResult.model_validate(dict(cached.discovered))
            return {"mode": cached.version, "prior_discover": discovered}
    return {"mode": "auto"}


def _describe_client() -> protocol.Implementation:
    from importlib.metadata import version

    return protocol.Implementation(name="maxagent", version=version("maxagent"))


def _build_handler(callbacks: SessionCallbacks) -> MessageHandlerFnT:
    async def handle(message: IncomingMessage) -> None:
        if isinstance(message, _CHANGES):
            callbacks.on_change()

    return handle


def _build_elicitation(callbacks: SessionCallbacks) -> ElicitationFnT:
    async def elicit(
        context: ClientRequestContext, params: protocol.ElicitRequestParams
    ) -> protocol.ElicitResult:
        return answer_to_result(await callbacks.elicit(request_from_params(params)))

    return elicit


async def _accept_result(name: str, result: protocol.CallToolResult) -> None:
    """Accept every result."""


async def _listen_for_changes(client: Client, callbacks: SessionCallbacks) -> None:
    """Hold the stream by which servers of the new era tell changes, if this one does."""
    if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return
    offered = client.server_capabilities
    tools = bool(offered.tools and offered.tools.list_changed)
    prompts = bool(offered.prompts and offered.prompts.list_changed)
    resources = bool(offered.resources and offered.resources.list_changed)
    while tools or prompts or resources:
        with suppress(SubscriptionLost):
            try:
                async with client.listen(
                    tools_list_changed=tools,
                    prompts_list_changed=prompts,
                    resources_list_changed=resources,
                ) as changes:
                    async for _ in changes:
                        pass  # each also comes to the handler of messages
                return
            except MCPError:
                return
        await asyncio.sleep(_LISTEN_PAUSE)
        callbacks.on_change()  # what happened meanwhile is unknown


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
