"""The server of the page: its socket, its life, and the runs that a crash had ended."""

import asyncio
import logging
import signal
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...config.errors import UsageError
from ...config.text import text
from ...sdk.streams.thread_streams import ThreadStreams
from ..lazy_imports import without_collector
from .access_control import list_hosts
from .agui import AguiEndpoint
from .api import Api
from .inbox import ThreadInbox
from .routes import build_app

if TYPE_CHECKING:
    from ...sdk.runner import Runner


HOST = "127.0.0.1"
# Connections at once; a page has two
MAX_CONNECTIONS = 512
_logger = logging.getLogger(__name__)

# Seconds within which the head of a request must have arrived
HEAD_TIME = 10.0


class TimedProtocol(H11Protocol):
    """HTTP/1.1 whose connections end when no whole head of a request comes."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Read data; the wait ends with the head of the request."""
        super().data_received(data)
        if self._deadline and self._has_head():
            self._deadline.cancel()
            self._deadline = None

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it came behind this one."""
        super().on_response_complete()
        if not self._has_head():
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._deadline:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _has_head(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete

    def _expect_head(self) -> None:
        if self._deadline:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(HEAD_TIME, self.transport.close)


class RunnerHolder:
    """The runner of the server, opened by the first run."""

    def __init__(self, home: Path) -> None:
        self._home, self._opening = home, None
        self._opening: asyncio.Task[Runner] | None

    async def open(self) -> "Runner":
        """Return the runner; one that could not be opened is opened again."""
        if self._opening is None or self._has_failed(self._opening):
            self._opening = asyncio.ensure_future(self._enter())
        return await asyncio.shield(self._opening)

    @staticmethod
    def _has_failed(opening: "asyncio.Task[Runner]") -> bool:
        return opening.done() and (opening.cancelled() or opening.exception() is not None)

    async def _enter(self) -> "Runner":
        def load() -> "type[Runner]":
            with without_collector():
                from ...sdk.runner import Runner

                return Runner

        return await (await asyncio.to_thread(load))(home=self._home).__aenter__()

    async def close(self) -> None:
        """Close it."""
        if self._opening:
            await asyncio.wait((self._opening,))
            if not self._has_failed(self._opening):
                await self._opening.result().__aexit__(None, None, None)


def open_socket(port: int) -> socket.socket:
    """Return a socket that listens on this machine only; port 0: any free one."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)  # who reads the address may connect at once
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            text("cannot listen on port {port}: {reason}", port=port, reason=reason),
            hint="another server may use this port; choose another with `--port`",
        ) from error
    return listener


def serve(
    home: Path, listener: socket.socket, token: str, public: str, on_ready: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM; runs that go on then are stopped, and can be resumed."""
    port = listener.getsockname()[1]
    holder = RunnerHolder(home)
    streams = ThreadStreams(home, holder.open)
    inbox = ThreadInbox(home, streams.get_running_call)

    @asynccontextmanager
    async def live(_: Starlette) -> AsyncGenerator[None]:
        watch = asyncio.ensure_future(streams.watch(inbox.update))
        resume = asyncio.ensure_future(streams.resume_crashed())
        on_ready()
        yield
        for task in (watch, resume):
            task.cancel()
        await asyncio.gather(watch, resume, return_exceptions=True)
        await streams.close()
        await holder.close()

    api = Api(streams, Path.cwd())
    app = build_app(api, AguiEndpoint(api, streams), inbox, token, list_hosts(port, public), live)
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=32_000,
    )
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        server.run(sockets=[listener])
