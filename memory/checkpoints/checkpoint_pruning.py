"""Compaction of a thread: deletes abandoned branches and repeated values."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, cast

from ..transaction import begin_transaction, is_sqlite
from .packed_rows import PackedObject, pack_row, unpack_row
from .row_compression import compress_row, expand_row
from .row_data import get_mapping
from .tables import KEPT_CHANNELS, OWN_NAMESPACE, has_tables, read_conversation_ids

# LangGraph's code for a whole value that is copied into a checkpoint
_WHOLE = 7
# checkpoints in one transaction; between two of them other threads can write
_PORTION = 200


_LEFT = (
    "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
    " AND checkpoint_id NOT IN (SELECT value FROM json_each(?)) ORDER BY checkpoint_id DESC"
)


_DELETE = (
    "DELETE FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
    " AND checkpoint_id IN (SELECT value FROM json_each(?))"
)


_DELETE_WRITES = _DELETE.replace("FROM checkpoints", "FROM writes")


_ROW = (
    "SELECT rowid, checkpoint, metadata FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? AND type = 'msgpack'"
)


_STORE = "UPDATE checkpoints SET checkpoint = ?, metadata = ? WHERE rowid = ?"


_WRITES = (
    "SELECT rowid, channel, type, value FROM writes WHERE thread_id = ? AND checkpoint_ns = ?"
    " AND checkpoint_id = ? ORDER BY task_path, task_id, idx"
)


_STORE_WRITE = "UPDATE writes SET value = ? WHERE rowid = ?"


_MOVE_WRITES = (
    "UPDATE writes SET checkpoint_id = ?"
    " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
)


_MOVE_CHILD = (
    "UPDATE checkpoints SET parent_checkpoint_id = ?"
    " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
)


_MOVES = (
    (
        "SELECT rowid FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_id",
        "UPDATE checkpoints SET rowid = (SELECT MAX(rowid) + 1 FROM checkpoints) WHERE rowid = ?",
    ),
    (
        "SELECT rowid FROM writes WHERE thread_id = ? ORDER BY checkpoint_id, task_path, idx",
        "UPDATE writes SET rowid = (SELECT MAX(rowid) + 1 FROM writes) WHERE rowid = ?",
    ),
)


_ANSWERED = ("outcome", b"\xa8answered")  # every turn of a conversation ends like this


_COUNTERS = "counters_since_delta_snapshot"


class Replay:
    """The request and the messages after the writes so far."""

    def __init__(self) -> None:
        self._request: object = None
        self._messages = _Digests()

    def forget(self) -> None:
        """Forget the values, until a checkpoint has all of them."""
        self._request = None
        self._messages.are_known = False

    def apply_write(self, channel: str, data: bytes) -> None:
        """Apply one write of a node."""
        if channel == "request":
            self._request = unpack_row(data)
        elif channel == "messages":
            self._messages.add(unpack_row(data))

    def find_redundant_channels(self, values: Mapping[str, Any]) -> list[str]:
        """Find the channels whose values in a checkpoint follow from the writes before it."""
        redundant: list[str] = []
        if "request" in values:
            request = _unpack_value(values["request"])
            redundant += ["request"] if request == self._request else []
            self._request = request
        if "messages" in values:
            messages = _Digests()
            messages.add(_unpack_value(values["messages"]))
            redundant += ["messages"] if messages == self._messages else []
            self._messages = messages
        return redundant


class _Digests:
    """A digest of each message by its id, in order."""

    def __init__(self) -> None:
        self.are_known = True
        self._of: dict[object, bytes] = {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Digests) or not (self.are_known and other.are_known):
            return False
        return [*self._of.items()] == [*other._of.items()]

    def add(self, written: object) -> None:
        """Add what a node wrote: messages, alone or in a list; anything else counts as unknown."""
        messages = cast("list[object]", written if isinstance(written, list) else [written])
        for message in messages:
            name, facts = _unpack_message(message)
            if not isinstance(facts, dict):
                self.are_known = False
            elif name == "RemoveMessage":
                self._of.pop(facts.get("id"), None)
            else:
                self._of[facts.get("id")] = sha256(cast(PackedObject, message).payload).digest()


def _unpack_message(message: object) -> tuple[str, dict[str, Any] | None]:
    """Return the message's class name and its fields; None for anything else."""
    unpacked = unpack_row(message.payload) if isinstance(message, PackedObject) else None
    parts = cast("list[Any]", unpacked) if isinstance(unpacked, list) else []
    if len(parts) < 3 or not str(parts[0]).startswith("langchain_core.messages"):
        return "", None
    facts = cast("dict[str, Any]", parts[2]) if isinstance(parts[2], dict) else None
    return str(parts[1]), facts


def _unpack_value(stored: object) -> object:
    if isinstance(stored, PackedObject) and stored.code == _WHOLE:
        return unpack_row(stored.payload)
    return stored


def compact_thread(
    connection: sqlite3.Connection, thread_id: str, children: Sequence[str] = ()
) -> None:
    """Delete what the conversation and its children's do not need.

    `children` are their namespaces. The caller holds the thread's lease.
    """
    if not has_tables(connection):
        return
    before = connection.total_changes
    for namespace in (OWN_NAMESPACE, *children):
        _compact_conversation(connection, thread_id, namespace)
    if connection.total_changes > before and is_sqlite(connection):
        for rows, move in _MOVES:
            _move_rows(connection, rows, move, thread_id)


def _compact_conversation(connection: sqlite3.Connection, thread_id: str, namespace: str) -> None:
    ids = read_conversation_ids(connection, thread_id, namespace)
    left = [row[0] for row in connection.execute(_LEFT, (thread_id, namespace, json.dumps(ids)))]
    for at in range(0, len(left), _PORTION):  # newest first: then a kill leaves no tip
        parameters = (thread_id, namespace, json.dumps(left[at : at + _PORTION]))
        with begin_transaction(connection):
            connection.execute(_DELETE, parameters)
            connection.execute(_DELETE_WRITES, parameters)
    conversation = _Conversation(connection, thread_id, namespace)
    for at in range(0, len(ids), _PORTION):
        with begin_transaction(connection):
            for id_, child in zip(ids[at : at + _PORTION], [*ids[at + 1 :], ""], strict=False):
                conversation.compact_checkpoint(id_, child)


def _move_rows(connection: sqlite3.Connection, rows: str, move: str, thread_id: str) -> None:
    """Move the thread's rows behind all others."""
    # rows close together leave whole pages free, which can be released
    ids = [row for (row,) in connection.execute(rows, (thread_id,))]
    for at in range(0, len(ids), _PORTION):
        with begin_transaction(connection):
            connection.executemany(move, [(row,) for row in ids[at : at + _PORTION]])


class _Conversation:
    """The checkpoints of a thread or child, the oldest first; the last one stays complete."""

    def __init__(self, connection: sqlite3.Connection, thread_id: str, namespace: str) -> None:
        self._connection, self._of = connection, (thread_id, namespace)
        self._replay = Replay()
        self._before = ""
        """The checkpoint of the human's words, while only passing ones have followed it."""
        self._has_messages = False
        """Messages were written from it; others beside them would have no order."""

    def compact_checkpoint(self, id_: str, child: str) -> None:
        """Compact one checkpoint and its writes; `child` follows it, if any."""
        row = self._connection.execute(_ROW, (*self._of, id_)).fetchone()
        values: dict[str, Any] = {}
        if row is None:
            self._replay.forget()
        else:
            values = self._shorten_checkpoint(*row)
        if not child:
            return
        remaining_channels = self._shorten_writes(id_)
        mixed = self._has_messages and "messages" in remaining_channels
        if self._before and _is_turn_start(values) and not mixed:
            self._join_checkpoints(id_, child)
            self._has_messages |= "messages" in remaining_channels
        else:
            begins = "__start__" in values and remaining_channels <= {"request"}
            self._before, self._has_messages = id_ if begins else "", False

    def _join_checkpoints(self, id_: str, child: str) -> None:
        """Move its writes to the previous checkpoint, and delete it."""
        previous_key = (self._before, *self._of)
        self._connection.execute(_MOVE_WRITES, (*previous_key, id_))
        self._connection.execute(_MOVE_CHILD, (*previous_key, child))
        self._connection.execute(_DELETE, (*self._of, json.dumps([id_])))

    def _shorten_checkpoint(
        self, row: int, stored: bytes, metadata: bytes | None
    ) -> dict[str, Any]:
        """Drop the values that the writes repeat; return the rest."""
        whole = unpack_row(expand_row(stored))
        values = whole["channel_values"]
        # LangGraph rebuilds these from the writes; the replay has checked that it can
        redundant = self._replay.find_redundant_channels(values)
        for channel in redundant:
            del values[channel]
        if values.get("outcome") == "answered" and not get_mapping(values, "options").get("schema"):
            values.pop("summary", None)  # it is the last message
        facts = json.loads(metadata or b"{}")
        # channels missing in a checkpoint count as written since; nobody reads how often
        if counted := {*redundant, *get_mapping(facts, _COUNTERS)}:
            facts[_COUNTERS] = {name: [1, 1] for name in sorted(counted)}
        small = (compress_row(pack_row(whole)), json.dumps(facts, separators=(",", ":")).encode())
        if small != (stored, metadata):
            self._connection.execute(_STORE, (*small, row))
        return values

    def _shorten_writes(self, id_: str) -> set[str]:
        """Delete writes that nobody reads; return the remaining channels."""
        remaining_channels: set[str] = set()
        rows = self._connection.execute(_WRITES, (*self._of, id_)).fetchall()
        for row, channel, kind, value in rows:
            if channel not in KEPT_CHANNELS or kind == "null" or (channel, value) == _ANSWERED:
                self._connection.execute("DELETE FROM writes WHERE rowid = ?", (row,))
                continue
            remaining_channels.add(channel)
            if kind == "msgpack":
                data = expand_row(value)
                self._replay.apply_write(channel, data)
                if (small := compress_row(data)) != value:
                    self._connection.execute(_STORE_WRITE, (small, row))
        return remaining_channels


def _is_turn_start(values: dict[str, Any]) -> bool:
    """Return whether a conversation's turn starts here; no step ends here, so no rewind."""
    return not {"branch:to:listen", "branch:to:compact"}.isdisjoint(values) and not (
        {"messages", "request"} & values.keys()
    )
