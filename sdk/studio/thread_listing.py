"""ThreadListing: keeps the server's own list of threads like the user's, while the server runs.

The server lists only threads that were made through it, and knows no status of others. This runs in
its process and writes into its list: what began at the terminal, what waits there, what is gone.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

from ...config import paths
from ...memory.database.connection import connect, read_data_version
from ...memory.threads.index import ThreadIndex
from ...memory.threads.record import ThreadRow
from ..cancel_shield import run_shielded
from ..graph_registry import find_job

_logger = logging.getLogger(__name__)
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
