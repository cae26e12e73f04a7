"""The project's folder in a thread's rows, replaced when the thread moves to another folder."""

import os
import sqlite3
from typing import Any, cast

from .packed_rows import PackedObject, pack_row, unpack_row
from .row_compression import compress_row, expand_row
from .tables import has_tables

_TABLES = {"checkpoints": "checkpoint", "writes": "value"}
# What a model said or asked for stays as it was
_LEFT_KEYS = ("messages", "args")


def replace_folder(connection: sqlite3.Connection, thread_id: str, old: str, new: str) -> None:
    """Replace the folder in every state of the thread and its children; messages stay."""
    if not has_tables(connection):
        return
    for table, column in _TABLES.items():
        kept = " AND channel != 'messages'" if table == "writes" else ""
        query = f"SELECT rowid FROM {table} WHERE thread_id = ? AND type = 'msgpack'{kept}"
        for (number,) in connection.execute(query, (thread_id,)).fetchall():
            read = f"SELECT {column} FROM {table} WHERE rowid = ?"
            data = expand_row(connection.execute(read, (number,)).fetchone()[0])
            if os.fsencode(old) in data:
                row = compress_row(_rewrite_row(data, old, new))
                update = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"
                connection.execute(update, (row, number))


def _rewrite_row(data: bytes, old: str, new: str) -> bytes:
    def rewrite_object(code: int, payload: bytes) -> PackedObject:
        return PackedObject(code, _rewrite_row(payload, old, new))

    return pack_row(_rewrite_value(unpack_row(data, rewrite_object), old, new))


def _rewrite_value(value: Any, old: str, new: str) -> Any:
    match value:
        case list():
            return [_rewrite_value(item, old, new) for item in cast("list[Any]", value)]
        case dict():
            items = cast("dict[Any, Any]", value).items()
            return {key: _rewrite_item(key, item, old, new) for key, item in items}
        case _:
            return value


def _rewrite_item(key: object, item: Any, old: str, new: str) -> Any:
    if key == "folder":
        return new if item == old else item
    return item if key in _LEFT_KEYS else _rewrite_value(item, old, new)
