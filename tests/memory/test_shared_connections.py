import asyncio
import gc
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from aiosqlite import Connection
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.base import PutOp

from maxagent.config.paths import locate_memory
from maxagent.memory.cards.store import CardStore, open_store
from maxagent.memory.checkpoints.saver import SaverConnection
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect
from maxagent.memory.shared_connections import IdleConnections

PLACE = {
    "configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"},
}
TURNS = range(12)
"""Turns of the loop after which a write is cancelled; a whole one takes fewer."""

SAVER_WRITES: dict[str, Callable[[AsyncSqliteSaver], Awaitable[object]]] = {
    "put": lambda saver: saver.aput(PLACE, empty_checkpoint(), {}, {}),  # type: ignore[typeddict-item]
    "put_writes": lambda saver: saver.aput_writes(PLACE, [("a", 1), ("b", 2)], "task"),  # type: ignore[arg-type]
    "delete_thread": lambda saver: saver.adelete_thread("t"),
}
STORE_WRITES: dict[str, Callable[[CardStore], Awaitable[object]]] = {
    "put": lambda store: store.aput(("a",), "key", {"text": "x"}),
    "delete": lambda store: store.adelete(("a",), "key"),
    "batch": lambda store: store.abatch([PutOp(("a",), str(n), {"n": n}) for n in range(3)]),
}


async def begin_write(write: Awaitable[object], turns: int) -> "asyncio.Future[object]":
    task = asyncio.ensure_future(write)
    for _ in range(turns):
        await asyncio.sleep(0)
    return task


async def cancel_after(write: Awaitable[object], turns: int) -> None:
    task = await begin_write(write, turns)
    task.cancel()
    await asyncio.wait([task])


def ensure_unlocked(path: Path) -> None:
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")


@pytest.mark.parametrize("name", SAVER_WRITES)
async def test_cancelled_save_leaves_no_transaction(tmp_path: Path, name: str) -> None:
    async with open_checkpointer(tmp_path / "threads.db") as saver:
        await saver.aput_writes(PLACE, [("z", 0)], "before")  # type: ignore[arg-type]
        for turns in TURNS:
            await cancel_after(SAVER_WRITES[name](saver), turns)
            await saver.conn.execute("SELECT 1")  # behind all that was in the queue
            assert not saver.conn.in_transaction, turns
        await SAVER_WRITES[name](saver)


@pytest.mark.parametrize("name", STORE_WRITES)
async def test_cancelled_card_leaves_no_transaction(tmp_path: Path, name: str) -> None:
    async with open_store(tmp_path) as store:
        await store.aput(("a",), "key", {"text": "before"})
        for turns in TURNS:
            await cancel_after(STORE_WRITES[name](store), turns)
            async with store.lock:  # LangGraph batches in a task of its own, which goes on
                await store.conn.execute("SELECT 1")
            assert not store.conn.in_transaction, turns
        await STORE_WRITES[name](store)


@pytest.mark.parametrize(
    ("name", "holder", "end"),
    [
        ("put", SaverConnection, "write"),
        ("put_writes", SaverConnection, "write"),
        ("delete_thread", Connection, "commit"),
    ],
)
async def test_saver_closed_before_commit_keeps_save(
    tmp_path: Path, name: str, holder: type, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, has_begun, end_write = tmp_path / "threads.db", asyncio.Event(), getattr(holder, end)

    async def end_late(*arguments: object) -> None:
        has_begun.set()
        for _ in TURNS:
            await asyncio.sleep(0)
        await end_write(*arguments)

    async with open_checkpointer(path) as saver:
        monkeypatch.setattr(holder, end, end_late)
        task = asyncio.ensure_future(SAVER_WRITES[name](saver))
        await has_begun.wait()
    ensure_unlocked(path)
    await task


@pytest.mark.parametrize("name", STORE_WRITES)
async def test_store_closed_during_write_unlocks_database(tmp_path: Path, name: str) -> None:
    for turns in TURNS:
        async with open_store(tmp_path) as store:
            await store.aget(("a",), "key")
            task = await begin_write(STORE_WRITES[name](store), turns)
        ensure_unlocked(locate_memory(tmp_path))
        task.cancel()  # a batch whose task LangGraph has ended waits for ever
        await asyncio.wait([task])


async def test_many_cancelled_saves_lock_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    async with open_checkpointer(path) as saver:
        writes = [saver.aput_writes(PLACE, [("a", n)], f"task-{n}") for n in range(50)]  # type: ignore[arg-type]
        tasks = [asyncio.ensure_future(write) for write in writes]
        for _ in range(4):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        async with open_checkpointer(path) as other:
            await other.conn.execute("PRAGMA busy_timeout = 500")
            await other.aput_writes(PLACE, [("b", 1)], "other")  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "threads.db"
    connect(path).execute("CREATE TABLE t (x)").connection.close()
    return path


def is_closed(connection: sqlite3.Connection) -> bool:
    try:
        connection.total_changes  # noqa: B018
    except sqlite3.ProgrammingError:
        return True
    return False


def use(idle: IdleConnections) -> sqlite3.Connection:
    with idle.use() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
        return connection


def test_next_use_takes_the_same_connection(path: Path) -> None:
    idle = IdleConnections(path, connect)
    first = use(idle)
    assert use(idle) is first
    with idle.use() as again, idle.use() as other:
        assert again is first
        assert other is not first
        assert other.execute("SELECT COUNT(*) FROM t").fetchone() == (2,)


def replace_file(path: Path) -> None:
    new = path.with_name("new.db")
    connect(new).execute("CREATE TABLE t (x)").connection.close()
    for part in path.parent.glob("threads.db*"):
        part.unlink()
    new.rename(path)


def fail(path: Path, idle: IdleConnections) -> None:
    with suppress(sqlite3.Error), idle.use() as connection:
        connection.execute("SELECT nothing")


def begin(path: Path, idle: IdleConnections) -> None:
    with idle.use() as connection:
        connection.execute("BEGIN")


@pytest.mark.parametrize(
    "spoil", [lambda path, _: replace_file(path), fail, begin], ids=["replaced", "failed", "open"]
)
def test_spoilt_connection_is_not_used_again(
    path: Path, spoil: Callable[[Path, IdleConnections], None]
) -> None:
    idle = IdleConnections(path, connect)
    first = use(idle)
    spoil(path, idle)
    assert use(idle) is not first
    assert is_closed(first)


def test_connection_that_cannot_write_is_closed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxagent.memory.database.connection.can_write", lambda _: False)
    idle = IdleConnections(path, connect)
    with idle.use() as connection:
        assert connection.execute("SELECT COUNT(*) FROM t").fetchone() == (0,)
    assert is_closed(connection)


def test_connections_end_with_their_owner(path: Path) -> None:
    idle = IdleConnections(path, connect)
    connection = use(idle)
    del idle
    gc.collect()
    assert is_closed(connection)
