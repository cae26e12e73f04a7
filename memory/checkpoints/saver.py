"""LangGraph's saver with strict types: stores each value once and syncs each step to disk."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.base import id as checkpoint_ids
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from typing_extensions import override

from ..shared_connections import RollbackLock
from ..transaction import build_lost_error, get_lease_number
from .delta_history import CheckpointKey, DeltaHistories
from .serializer import StrictSerializer
from .tables import KEPT_CHANNELS, parse_ticks

_LAST = "SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
_PUT = """
    INSERT INTO checkpoints
        (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
    SELECT :thread, :namespace, :checkpoint, :parent, :type, :data, :metadata
    WHERE :lease IS NULL
        OR :lease = (SELECT pid FROM journal WHERE thread_id = :thread AND call_id = 'lease')
    ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id) DO UPDATE SET
        parent_checkpoint_id = excluded.parent_checkpoint_id, type = excluded.type,
        checkpoint = excluded.checkpoint, metadata = excluded.metadata
"""
_WRITE = """
    INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx,
        channel, type, value)
    SELECT :thread, :namespace, :checkpoint, :task, :path, :index, :channel, :type, :data
    WHERE :lease IS NULL
        OR :lease = (SELECT pid FROM journal WHERE thread_id = :thread AND call_id = 'lease')
"""
_KEEP_WRITE = _WRITE + " ON CONFLICT DO NOTHING"
# What LangGraph writes again: a question, an answer, an error
_REPLACE_WRITE = (
    _WRITE
    + """
    ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO UPDATE SET
        task_path = excluded.task_path, channel = excluded.channel, type = excluded.type,
        value = excluded.value
"""
)
_HAS_LEASE = (
    "SELECT 1 FROM journal WHERE thread_id = :thread AND call_id = 'lease' AND pid = :lease"
)
# The next checkpoint has a step's results; nobody reads an empty value.
_FORGET_WRITES = """
    DELETE FROM writes
    WHERE thread_id = :thread AND checkpoint_ns = :namespace AND checkpoint_id = :parent
        AND (channel NOT IN (SELECT value FROM json_each(:kept)) OR type = 'null')
"""
# LangGraph's name for the time in the last id that this process has made; private
_LAST_TICKS = "_last_v6_timestamp"


class SaverConnection(aiosqlite.Connection):
    """A connection that makes a whole transaction in one turn of its thread."""

    async def write(self, transaction: Callable[[sqlite3.Connection], None]) -> None:
        await self._execute(transaction, self._conn)  # pyright: ignore[reportUnknownMemberType]


class CheckpointSaver(AsyncSqliteSaver):
    """A saver that stores each value once and reads a thread's messages once per process."""

    def __init__(self, connection: SaverConnection, database: Path) -> None:
        super().__init__(connection, serde=StrictSerializer())
        self._connection = connection
        self._database = database
        self.lock = RollbackLock(connection.rollback)
        self._histories = DeltaHistories(connection, self.serde)

    @override
    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint; the next one that is saved sorts after all of its thread."""
        checkpoint_tuple = await super().aget_tuple(config)
        if checkpoint_tuple:
            configurable = checkpoint_tuple.config.get("configurable", {})
            asked = (configurable.get("thread_id"), configurable.get("checkpoint_ns", ""))
            async with self.lock, self.conn.execute(_LAST, asked) as rows:
                (last,) = await rows.fetchone() or ("",)
            # The latest checkpoint is the one whose id sorts last, and ids begin with the time:
            # after a clock was set back, new ids would sort before it.
            _advance_clock(last)
        return checkpoint_tuple

    @override
    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, and delete earlier writes that nobody reads again."""
        configurable: dict[str, Any] = config.get("configurable", {})
        place = CheckpointKey(
            str(configurable["thread_id"]), configurable["checkpoint_ns"], checkpoint["id"]
        )
        kind, data = self.serde.dumps_typed(checkpoint)
        facts = get_checkpoint_metadata(config, metadata)
        packed = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
        row = {
            **place._asdict(),
            "parent": configurable.get("checkpoint_id"),
            "type": kind,
            "data": data,
            "metadata": packed.encode("utf-8", "ignore"),
            "lease": get_lease_number(self._database, place.thread),
        }
        await self.setup()
        async with self.lock:
            await self._connection.write(partial(_write_checkpoint, row=row))
        return {
            "configurable": {
                "thread_id": configurable["thread_id"],
                "checkpoint_ns": place.namespace,
                "checkpoint_id": place.checkpoint,
            }
        }

    @override
    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save what a task has written from a checkpoint."""
        configurable: dict[str, Any] = config.get("configurable", {})
        thread = str(configurable["thread_id"])
        common = {
            "thread": thread,
            "namespace": str(configurable["checkpoint_ns"]),
            "checkpoint": str(configurable["checkpoint_id"]),
            "task": task_id,
            "path": task_path,
            "lease": get_lease_number(self._database, thread),
        }
        rows: list[dict[str, object]] = []
        for number, (channel, value) in enumerate(writes):
            kind, data = self.serde.dumps_typed(value)
            index = WRITES_IDX_MAP.get(channel, number)
            rows.append({**common, "index": index, "channel": channel, "type": kind, "data": data})
        replaces = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        await self.setup()
        statement = _REPLACE_WRITE if replaces else _KEEP_WRITE
        async with self.lock:
            await self._connection.write(partial(_write_rows, statement=statement, rows=rows))

    @override
    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read the writes that make up a checkpoint's messages."""
        configurable: dict[str, Any] = config.get("configurable", {})
        checkpoint = configurable.get("checkpoint_id")
        if not checkpoint and (last := await self.aget_tuple(config)):
            checkpoint = last.checkpoint["id"]
        if not checkpoint:
            return {channel: {"writes": []} for channel in channels}
        place = CheckpointKey(
            str(configurable["thread_id"]), configurable.get("checkpoint_ns", ""), checkpoint
        )
        await self.setup()
        async with self.lock:
            return await self._histories.read_histories(place, channels)


def _write_checkpoint(connection: sqlite3.Connection, row: Mapping[str, object]) -> None:
    # one transaction: a half-saved step would run again without its writes
    if connection.execute(_PUT, row).rowcount == 0:
        raise build_lost_error(str(row["thread"]))
    if row["parent"]:
        connection.execute(_FORGET_WRITES, {**row, "kept": json.dumps(KEPT_CHANNELS)})
    connection.commit()


def _write_rows(
    connection: sqlite3.Connection, statement: str, rows: Sequence[Mapping[str, object]]
) -> None:
    done = connection.executemany(statement, rows)
    # none: they were there, or the lease is lost
    is_doubtful = rows and rows[0]["lease"] and done.rowcount == 0
    if is_doubtful and not connection.execute(_HAS_LEASE, rows[0]).fetchone():
        raise build_lost_error(str(rows[0]["thread"]))
    connection.commit()


def _advance_clock(checkpoint_id: str) -> None:
    last_ticks: int = getattr(checkpoint_ids, _LAST_TICKS) or 0
    with suppress(ValueError):  # another program's ID
        setattr(checkpoint_ids, _LAST_TICKS, max(last_ticks, parse_ticks(checkpoint_id)))
