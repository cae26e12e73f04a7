"""Cache of the writes that LangGraph replays to build a thread's messages.

LangGraph reads them several times a turn, and its own saver reads the whole thread each time. Here
the history is kept in memory up to a checkpoint, and only later writes are read.
"""

import json
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
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
        WHERE thread_id = :thread AND checkpoint_ns = :namespace
    )
    SELECT id, metadata FROM chain
"""


_CHECKPOINT = (
    "SELECT type, checkpoint FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
)


# lists are passed as JSON: a long thread has more checkpoints than SQLite takes parameters
_WRITES = """
    SELECT checkpoint_id, channel, type, value, task_path, task_id, idx FROM writes
    WHERE thread_id = ? AND checkpoint_ns = ?
        AND checkpoint_id IN (SELECT value FROM json_each(?))
        AND channel IN (SELECT value FROM json_each(?))
"""


class CheckpointKey(NamedTuple):
    """A checkpoint of a thread."""

    thread: str
    namespace: str
    checkpoint: str


@dataclass
class _AncestorWalk:
    """The rows visited from a checkpoint back to the start of its thread."""

    chains: dict[str, list[str]]
    """For each channel the checkpoints whose writes count, the nearest first."""
    seeds: dict[str, Any] = field(default_factory=dict[str, Any])
    """The whole value of a channel, where a checkpoint has it."""
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
        known_at, known = self._known.get(place[:2], ("", {}))
        walk = await self._walk_ancestors(
            place, channels, known_at if {*channels} <= {*known} else ""
        )
        writes = await self._read_writes(place, walk.chains)
        found: dict[str, DeltaChannelHistory] = {}
        for channel, ids in walk.chains.items():
            new = [write for id_ in reversed(ids) for write in writes[channel, id_]]
            if channel in walk.seeds:
                found[channel] = {"seed": walk.seeds[channel], "writes": new}
            elif walk.reached:
                before = known[channel]
                found[channel] = {**before, "writes": [*before["writes"], *new]}
            else:
                found[channel] = {"writes": new}
        self._remember_histories(place, found)
        return {channel: {**one, "writes": [*one["writes"]]} for channel, one in found.items()}

    def _remember_histories(
        self, place: CheckpointKey, found: Mapping[str, DeltaChannelHistory]
    ) -> None:
        for channel, one in found.items():
            _fold_writes(channel, one)
        self._known[place[:2]] = (place.checkpoint, found)
        self._known.move_to_end(place[:2])
        if len(self._known) > _MAX_THREADS:
            self._known.popitem(last=False)

    async def _walk_ancestors(
        self, place: CheckpointKey, channels: Sequence[str], known_at: str
    ) -> _AncestorWalk:
        walk = _AncestorWalk({channel: [] for channel in channels})
        # rows that are not needed are not searched for: the cost grows with the length of the walk
        async with self._connection.execute(_ANCESTORS, place._asdict()) as rows:
            async for checkpoint, metadata in rows:
                if checkpoint != place.checkpoint:
                    await self._visit_checkpoint(
                        place._replace(checkpoint=checkpoint), metadata, walk
                    )
                walk.reached = checkpoint == known_at
                if walk.reached or len(walk.seeds) == len(channels):
                    break
        return walk

    async def _visit_checkpoint(
        self, place: CheckpointKey, metadata: bytes | None, walk: _AncestorWalk
    ) -> None:
        """Record a visited checkpoint."""
        wanted = [channel for channel in walk.chains if channel not in walk.seeds]
        for channel in wanted:
            walk.chains[channel].append(place.checkpoint)
        # LangGraph counts from the last checkpoint that has the whole value
        counted = get_mapping(json.loads(metadata or b"{}"), "counters_since_delta_snapshot")
        if all(channel in counted for channel in wanted):
            return
        async with self._connection.execute(_CHECKPOINT, place) as rows:
            stored = await rows.fetchone()
        values = self._serde.loads_typed(tuple(stored or ()))["channel_values"]
        walk.seeds |= {channel: values[channel] for channel in wanted if channel in values}

    async def _read_writes(
        self, place: CheckpointKey, chains: Mapping[str, Sequence[str]]
    ) -> Mapping[tuple[str, str], list[PendingWrite]]:
        """Return the writes of each checkpoint, by channel and checkpoint, in order."""
        ids = [*max(chains.values(), key=len, default=())]
        lists = (json.dumps(ids), json.dumps([*chains]))
        async with self._connection.execute(_WRITES, (*place[:2], *lists)) as cursor:
            rows = await cursor.fetchall()
        found: defaultdict[tuple[str, str], list[PendingWrite]] = defaultdict(list)
        wanted = {(channel, id_) for channel, chain in chains.items() for id_ in chain}
        for id_, channel, kind, value, _, task, _ in sorted(rows, key=_get_sort_key):
            if (channel, id_) in wanted:
                found[channel, id_].append((task, channel, self._serde.loads_typed((kind, value))))
        return found


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
