"""Middleware that denies every request to LangGraph's server without the secret.

The server itself answers any client and takes a body of any content type, and it runs commands: any
process of this machine, and any page in the user's browser, could send it a task. So each start
creates a secret, which is in the path of its address; Studio's page sends it as a part of
`baseUrl`. `mcode --remote` sends it in `Authorization`, which no log keeps. `Origin` and `Host` are
checked too: they stop a page that knows the address.
"""

import asyncio
import logging
import os
import re
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from ...config import paths
from ...memory.database.connection import connect, read_data_version
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import ThreadRow
from ..cancel_shield import run_shielded
from ..graph_registry import find_job

# Seconds from one look at the database to the next, and until the list is read in any case
LOOK_SECONDS, READ_SECONDS = 0.5, 30.0
# Times that reading took: a list that takes long is read less often
PAUSE_RATIO = 5
# Threads whose whole state the server gets, besides those that wait: the last used
MAX_STATES = 100
_OPEN = ("waiting", "limit", "interrupted", "queued")
_Mark = tuple[str, str, int]


class ThreadListing:
    """The threads of one home in the server's list."""

    def __init__(self, home: Path) -> None:
        self._threads, self._database = ThreadIndex(home), paths.locate_database(home)
        self._marks: dict[str, _Mark] = {}
        """What the server's list has: status, last use and number of questions of each thread."""

    async def follow(self) -> None:
        """Keep the list up to date until it is cancelled."""
        clock, read_at, seen = asyncio.get_running_loop().time, 0.0, -1
        with closing(await asyncio.to_thread(connect, self._database)) as connection:
            pause = LOOK_SECONDS
            while True:
                await asyncio.sleep(pause)
                try:
                    # closing while the thread reads would crash SQLite
                    looking = asyncio.to_thread(read_data_version, connection)
                    version = await run_shielded(looking)
                    if version == seen and clock() - read_at < READ_SECONDS:
                        continue
                    began_at = clock()
                    await self.update()
                    seen, read_at = version, began_at
                    pause = max(LOOK_SECONDS, PAUSE_RATIO * (clock() - began_at))
                except Exception:  # the next look tries again
                    _logger.warning("the list of threads could not be read", exc_info=True)

    async def update(self) -> None:
        """Bring the server's list up to date once; a thread that it runs itself is left to it."""
        rows = [row for row in await asyncio.to_thread(self._threads.list) if _parse_id(row)]
        async with _open_server() as server:
            self._remove_deleted(server, rows)
            busy = {
                str(run["thread_id"])
                for run in server.store["runs"]
                if run["status"] in ("pending", "running")
            }
            server_ids = {str(thread["thread_id"]) for thread in server.store["threads"]}
            changed = [
                row
                for row in rows
                if row.thread_id not in busy
                and (
                    row.thread_id not in server_ids or self._marks.get(row.thread_id) != _mark(row)
                )
            ]
            for row in changed:
                await _list_thread(server, row)
                self._marks[row.thread_id] = _mark(row)
            for number, row in enumerate(changed):
                if number < MAX_STATES or row.status in _OPEN:
                    await _read_state(server, row)

    def _remove_deleted(self, server: Any, rows: Sequence[ThreadRow]) -> None:
        deleted = self._marks.keys() - {row.thread_id for row in rows}
        threads: list[dict[str, Any]] = server.store["threads"]
        threads[:] = [thread for thread in threads if str(thread["thread_id"]) not in deleted]
        for thread_id in deleted:
            del self._marks[thread_id]


_logger = logging.getLogger(__name__)
_SECRET = secrets.token_urlsafe(32)
_HEADER = b"authorization"
_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}|https://(\w+\.)?smith\.langchain\.com")
_STUDIO_PAGE = "https://smith.langchain.com/studio/?baseUrl={address}"
REFUSED = (
    "This server answers only at the address that was printed when it was started; "
    "`langgraph dev` prints it behind `Studio`, below its greeting"
)


class AccessControl:
    """Denies requests without the secret, or from elsewhere, before any route sees them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or deny one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif is_local(Headers(scope=scope)) and (allowed := _without_secret(scope)):
            await self._app(allowed, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008, REFUSED)(scope, receive, send)
        else:
            await PlainTextResponse(f"{REFUSED}\n", 403)(scope, receive, send)


def is_local(headers: Headers) -> bool:
    """Return whether a request comes from this machine or from Studio's page."""
    host, origin = headers.get("host", ""), headers.get("origin")
    return bool(_HOST.fullmatch(host)) and (origin is None or bool(_ORIGIN.fullmatch(origin)))


def build_secret_address() -> str:
    """Return the running server's address with the secret; empty before it has a port.

    The server chooses another port if its own was taken meanwhile: the secret must not be sent to
    the process that took it.
    """
    server = os.environ.get("LANGGRAPH_API_URL")
    return f"{server}/{_SECRET}" if server else ""


def build_studio_link(address: str) -> str:
    """Return the address of Studio's page for this server."""
    return _STUDIO_PAGE.format(address=address)


def _without_secret(scope: Scope) -> Scope | None:
    """Return the request without the secret; None if the secret is missing or wrong."""
    headers = Headers(scope=scope).getlist("authorization")
    if headers and secrets.compare_digest(headers[0].encode(), f"Bearer {_SECRET}".encode()):
        return {**scope, "headers": [each for each in scope["headers"] if each[0] != _HEADER]}
    _, first, *rest = [*scope["path"].split("/", 2), ""]
    if not secrets.compare_digest(first.encode(), _SECRET.encode()):
        return None
    path = f"/{rest[0]}"
    return {**scope, "path": path, "raw_path": path.encode()}


@asynccontextmanager
async def _begin(_: Starlette) -> AsyncGenerator[None]:
    """List the threads, and print the link for `langgraph dev`; `mcode studio` hides this log."""
    async with keep_listed():
        _logger.info("Studio, not the link above: %s", build_studio_link(build_secret_address()))
        yield


app = Starlette(middleware=[Middleware(AccessControl)], lifespan=_begin)


@asynccontextmanager
async def keep_listed() -> AsyncGenerator[None]:
    """List the user's threads now, and keep the list up to date inside the block."""
    listing = await asyncio.to_thread(lambda: ThreadListing(paths.locate_home()))
    await listing.update()
    following = asyncio.create_task(listing.follow())
    try:
        yield
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


@asynccontextmanager
async def _open_server() -> AsyncGenerator[Any]:
    """Open the store of the server that runs in this process."""
    database: Any = import_module("langgraph_runtime.database")
    async with database.connect() as server:
        yield server


def _load_operations() -> Any:
    """Return the server's operations on threads."""
    return import_module("langgraph_runtime.ops").Threads


async def _list_thread(server: Any, row: ThreadRow) -> None:
    """Write what the row says; the thread's state comes after all threads are listed."""
    metadata = {"title": row.title, "folder": row.folder, "graph_id": find_job(row.graph).name}
    added = await _load_operations().put(
        server, row.thread_id, metadata=metadata, if_exists="do_nothing"
    )
    thread = await anext(added)
    thread["metadata"] = {**thread["metadata"], **metadata}
    if thread.get("values") is None:  # else its status changes with its state
        _set_status(thread, row, "interrupted" if row.status in _OPEN else "idle")


async def _read_state(server: Any, row: ThreadRow) -> None:
    """Give the server the thread's values and its open questions."""
    operations, thread_id = _load_operations(), UUID(row.thread_id)
    try:
        state = await operations.State.get(server, {"configurable": {"thread_id": row.thread_id}})
        tasks = [{"id": task.id, "interrupts": [*task.interrupts]} for task in state.tasks]
        payload = {"next": [*state.next], "values": state.values, "tasks": tasks}
        await operations.set_status(server, thread_id, payload, None)
    except Exception:  # one damaged thread hides no other
        _logger.warning("the state of thread %s could not be read", row.thread_id, exc_info=True)
        return
    thread = next(each for each in server.store["threads"] if each["thread_id"] == thread_id)
    _set_status(thread, row, thread["status"])


def _set_status(thread: dict[str, Any], row: ThreadRow, status: str) -> None:
    thread["status"] = "busy" if row.status == "running" else status
    used = datetime.fromisoformat(row.updated_at)
    thread["updated_at"] = thread["state_updated_at"] = used


def _mark(row: ThreadRow) -> _Mark:
    return row.status, row.updated_at, row.questions


def _parse_id(row: ThreadRow) -> UUID | None:
    """Return the thread's id as the server has it; None for one that it cannot have."""
    try:
        return UUID(row.thread_id)
    except ValueError:
        return None
