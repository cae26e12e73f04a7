"""Cache of the writes that LangGraph replays to build a thread's messages.

LangGraph reads them several times a turn, and its own saver reads the whole thread each time. Here
the history is kept in memory up to a checkpoint, and only later writes are read.
"""

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import aiosqlite
from langgraph.checkpoint.base import DeltaChannelHistory, PendingWrite, writes_sort_key
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import _DeltaSnapshot  # pyright: ignore[reportPrivateUsage]

from .message_merge import merge_messages
from .row_data import get_mapping

# threads kept in memory
_MAX_THREADS = 4
_LAST_WRITE_COUNTS = ("request", "context_message")


_ANCESTORS = """
    WITH RECURSIVE chain(id, parent, metadata) AS (
        SELECT checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints
        WHERE thread_id = :thread AND checkpoint_ns = :namespace AND checkpoint_id = :checkpoint
        UNION
        SELECT checkpoint_id, parent_checkpoint_id, checkpoints.metadata
        FROM chain CROSS JOIN checkpoints ON checkpoint_id = chain.parent
        WHERE thread_id = :thread AND checkpoint_ns = :namespace AND chain.id != :known
    )
    SELECT id, metadata FROM chain
"""


_CHECKPOINTS = (
    "SELECT checkpoint_id, parent_checkpoint_id, metadata FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = ?"
)


_CHECKPOINT = (
    "SELECT type, checkpoint FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
)


# lists are passed as JSON: a long thread has more checkpoints than SQLite takes parameters
_ALL_WRITES = """
    SELECT checkpoint_id, channel, type, value, task_path, task_id, idx FROM writes
    WHERE thread_id = ? AND checkpoint_ns = ?
        AND channel IN (SELECT value FROM json_each(?))
"""
_WRITES = _ALL_WRITES + " AND checkpoint_id IN (SELECT value FROM json_each(?))"


class CheckpointKey(NamedTuple):
    """A checkpoint of a thread."""

    thread: str
    namespace: str
    checkpoint: str


@dataclass
class _AncestorWalk:
    """The rows visited from a checkpoint back to the start of its thread."""

    ids: list[str] = field(default_factory=list[str])
    """The checkpoints whose writes count, the nearest first."""
    seeds: dict[str, Any] = field(default_factory=dict[str, Any])
    """The whole value of a channel, where a checkpoint has it."""
    lengths: dict[str, int] = field(default_factory=dict[str, int])
    """For each of these channels how many of the checkpoints count."""
    reached: bool = False
    """It came to the checkpoint that is known already."""


class DeltaHistories:
    """The histories of the threads of one connection; the caller holds the connection's lock."""

    def __init__(self, connection: aiosqlite.Connection, serde: SerializerProtocol) -> None:
        self._connection, self._serde = connection, serde
        # by thread and namespace: the checkpoint, and the histories up to it
        self._known: OrderedDict[tuple[str, str], tuple[str, Mapping[str, DeltaChannelHistory]]] = (
            OrderedDict()
        )

    async def read_histories(
        self, place: CheckpointKey, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return each channel's value at an earlier checkpoint and all writes since."""
        known_at, cached_histories = self._known.get(place[:2], ("", {}))
        known_at = known_at if {*channels} <= {*cached_histories} else ""
        walk = await self._walk_ancestors(place, channels, known_at)
        writes = await self._read_writes(place, walk, channels, is_whole=not known_at)
        histories: dict[str, DeltaChannelHistory] = {}
        for channel, new in writes.items():
            if channel in walk.seeds:
                histories[channel] = {"seed": walk.seeds[channel], "writes": new}
            elif walk.reached:
                before = cached_histories[channel]
                histories[channel] = {**before, "writes": [*before["writes"], *new]}
            else:
                histories[channel] = {"writes": new}
        self._remember_histories(place, histories)
        return {
            channel: {**history, "writes": [*history["writes"]]}
            for channel, history in histories.items()
        }

    def _remember_histories(
        self, place: CheckpointKey, histories: Mapping[str, DeltaChannelHistory]
    ) -> None:
        for channel, history in histories.items():
            _fold_writes(channel, history)
        self._known[place[:2]] = (place.checkpoint, histories)
        self._known.move_to_end(place[:2])
        if len(self._known) > _MAX_THREADS:
            self._known.popitem(last=False)

    async def _walk_ancestors(
        self, place: CheckpointKey, channels: Sequence[str], known_at: str
    ) -> _AncestorWalk:
        walk, remaining_channels = _AncestorWalk(), {*channels}
        # most rows differ in their numbers only; to parse each would take a tenth of the reading
        counted: dict[bytes, bool] = {}
        for checkpoint, metadata in await self._list_ancestors(place, known_at):
            if checkpoint != place.checkpoint:
                walk.ids.append(checkpoint)
                shape = metadata.translate(None, b"0123456789")
                if shape not in counted:
                    counted[shape] = remaining_channels <= _find_counted(metadata)
                if not counted[shape]:
                    at = place._replace(checkpoint=checkpoint)
                    for channel, value in (await self._read_values(at, remaining_channels)).items():
                        remaining_channels.remove(channel)
                        walk.seeds[channel], walk.lengths[channel] = value, len(walk.ids)
                        counted.clear()
            walk.reached = checkpoint == known_at
            if walk.reached or not remaining_channels:
                break
        return walk

    async def _list_ancestors(
        self, place: CheckpointKey, known_at: str
    ) -> Sequence[tuple[str, bytes]]:
        """List the checkpoint and those before it with their metadata, the latest first."""
        if known_at:
            parameters = {**place._asdict(), "known": known_at}
            rows = await self._connection.execute_fetchall(_ANCESTORS, parameters)
            return [(checkpoint, metadata or b"{}") for checkpoint, metadata in rows]
        # to read all rows in the order of the file costs a third of searching for each parent
        rows = await self._connection.execute_fetchall(_CHECKPOINTS, place[:2])
        parents = {row[0]: row for row in rows}
        ancestors: list[tuple[str, bytes]] = []
        checkpoint = place.checkpoint
        while row := parents.pop(checkpoint, None):  # a damaged thread may have a cycle
            ancestors.append((checkpoint, row[2] or b"{}"))
            checkpoint = row[1]
        return ancestors

    async def _read_values(self, place: CheckpointKey, channels: Iterable[str]) -> dict[str, Any]:
        """Read those of the channels whose whole value the checkpoint has."""
        async with self._connection.execute(_CHECKPOINT, place) as rows:
            stored = await rows.fetchone()
        values = self._serde.loads_typed(tuple(stored or ()))["channel_values"]
        return {channel: values[channel] for channel in channels if channel in values}

    async def _read_writes(
        self, place: CheckpointKey, walk: _AncestorWalk, channels: Sequence[str], *, is_whole: bool
    ) -> Mapping[str, list[PendingWrite]]:
        """Return the writes of each channel in order.

        For a whole thread it is faster to read all rows than to search for each checkpoint's.
        """
        parameters = [*place[:2], json.dumps(channels)]
        if not is_whole:
            parameters.append(json.dumps(walk.ids))
        query = _ALL_WRITES if is_whole else _WRITES
        ranks = {id_: rank for rank, id_ in enumerate(walk.ids)}
        rows_by_channel: dict[str, dict[int, list[aiosqlite.Row]]] = {
            channel: {} for channel in channels
        }
        for row in await self._connection.execute_fetchall(query, parameters):
            rank = ranks.get(row[0])
            if rank is not None and rank < walk.lengths.get(row[1], len(ranks)):
                rows_by_channel[row[1]].setdefault(rank, []).append(row)
        return {
            channel: [
                write
                for rank in sorted(own, reverse=True)
                for write in self._load_writes(own[rank])
            ]
            for channel, own in rows_by_channel.items()
        }

    def _load_writes(self, rows: list[aiosqlite.Row]) -> list[PendingWrite]:
        """Deserialize the writes of one checkpoint, in order."""
        if len(rows) > 1:
            rows.sort(key=_get_sort_key)
        return [
            (task, channel, self._serde.loads_typed((kind, value)))
            for _, channel, kind, value, _, task, _ in rows
        ]


def _find_counted(metadata: bytes) -> set[str]:
    """Find the channels for which LangGraph counts from an earlier checkpoint, which has them."""
    return {*get_mapping(json.loads(metadata), "counters_since_delta_snapshot")}


def _fold_writes(channel: str, history: DeltaChannelHistory) -> None:
    """Apply the writes once here; otherwise the channel's reducer would at each load."""
    writes = history["writes"]
    if not writes:
        return
    if channel in _LAST_WRITE_COUNTS:
        history["writes"] = writes[-1:]
    if channel == "messages" and all(isinstance(value, list) for _, _, value in writes):
        seed: Any = history.get("seed", [])
        whole = seed.value if isinstance(seed, _DeltaSnapshot) else seed
        history["seed"] = merge_messages(whole, [value for _, _, value in writes])
        history["writes"] = []


def _get_sort_key(row: aiosqlite.Row) -> Any:
    path, task, index = row[4:7]
    return writes_sort_key(path, task, index)
