"""What can still be read of a damaged database, row by row, into a new one.

SQLite gives up at the first page that it cannot read. Rows have numbers, so those behind it are
asked for by number; an index, which lies in other pages, tells whose rows are missing.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .checkpoint_queries import unpack_blob

# LangGraph's tables, which the first run makes
_LANGGRAPH = """
    CREATE TABLE IF NOT EXISTS checkpoints (
        thread_id TEXT NOT NULL,
        checkpoint_ns TEXT NOT NULL DEFAULT '',
        checkpoint_id TEXT NOT NULL,
        parent_checkpoint_id TEXT,
        type TEXT,
        checkpoint BLOB,
        metadata BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
    );
    CREATE TABLE IF NOT EXISTS writes (
        thread_id TEXT NOT NULL,
        checkpoint_ns TEXT NOT NULL DEFAULT '',
        checkpoint_id TEXT NOT NULL,
        task_id TEXT NOT NULL,
        task_path TEXT NOT NULL DEFAULT '',
        idx INTEGER NOT NULL,
        channel TEXT NOT NULL,
        type TEXT,
        value BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
    );
"""
_TABLES = ("threads", "journal", "file_history", "checkpoints", "writes")
_PACKED = {"checkpoints": "checkpoint", "writes": "value"}
# queries that fail in one table: where a page high up is damaged, most rows below it are lost
_MOST_FAILURES = 100_000
_HOLES = """
    SELECT DISTINCT child.thread_id, child.parent_checkpoint_id
    FROM checkpoints AS child LEFT JOIN checkpoints AS parent
        ON parent.thread_id = child.thread_id AND parent.checkpoint_ns = child.checkpoint_ns
        AND parent.checkpoint_id = child.parent_checkpoint_id
    WHERE child.checkpoint_ns = '' AND child.parent_checkpoint_id IS NOT NULL
        AND parent.checkpoint_id IS NULL
"""
# Where a checkpoint is gone, what was written from it may be there: the one before it takes its
# place, which is the last one that has no child now.
_FILL = """
    INSERT INTO checkpoints
    SELECT thread_id, '', :hole, checkpoint_id, type, checkpoint, metadata FROM checkpoints
    WHERE thread_id = :thread AND checkpoint_ns = '' AND checkpoint_id < :hole
    ORDER BY checkpoint_id IN (
        SELECT parent_checkpoint_id FROM checkpoints WHERE thread_id = :thread
            AND checkpoint_ns = '' AND parent_checkpoint_id IS NOT NULL
    ), checkpoint_id DESC LIMIT 1
"""


@dataclass
class SalvageResult:
    """What came of it."""

    rows: int = 0
    damaged_threads: set[str] = field(default_factory=set[str])
    """Ids of the threads that lost something."""
    has_unknown_losses: bool = False
    """Something is lost, and nobody knows of which threads."""


def salvage_rows(damaged: Path, fresh: sqlite3.Connection) -> SalvageResult:
    """Copy all rows that can be read; `fresh` has our tables, with nothing in them.

    Raises the errors of `fresh`, such as a full disk; what the damaged one refuses is lost.
    """
    done = SalvageResult()
    try:
        source = _open_damaged(damaged)
    except sqlite3.Error:
        return SalvageResult(has_unknown_losses=True)
    with closing(source):
        tables = _list_tables(source, done)
        if {"checkpoints", "writes"} <= tables:
            fresh.executescript(_LANGGRAPH)
        else:  # LangGraph makes both or none
            tables -= {"checkpoints", "writes"}
        for table in sorted(tables):
            fresh.execute("BEGIN")
            _copy_table(source, fresh, table, done)
            fresh.execute("COMMIT")
    if "checkpoints" in tables:
        for thread, hole in fresh.execute(_HOLES).fetchall():
            done.damaged_threads.add(thread)
            fresh.execute(_FILL, {"thread": thread, "hole": hole})
    return done


def _open_damaged(damaged: Path) -> sqlite3.Connection:
    source = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True)
    source.text_factory = _decode_text
    source.execute("PRAGMA cell_size_check = ON")
    return source


def _list_tables(source: sqlite3.Connection, done: SalvageResult) -> set[str]:
    found: set[str] = set()
    try:
        found.update(name for (name,) in source.execute("SELECT name FROM sqlite_schema"))
    except sqlite3.Error:
        done.has_unknown_losses = True
    return found.intersection(_TABLES)


def _decode_text(data: bytes) -> str:
    return data.decode(errors="replace")


def _copy_table(
    source: sqlite3.Connection, fresh: sqlite3.Connection, table: str, done: SalvageResult
) -> None:
    columns = _list_shared_columns(source, fresh, table)
    if not columns:
        done.has_unknown_losses = True
        return
    marks = ", ".join("?" for _ in columns)
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})"
    saved: set[int] = set()
    gaps: list[int] = []
    for number, *row in _read_rows(source, table, columns, gaps):
        values = dict(zip(columns, row, strict=True))
        if not _is_sound(table, values):
            done.damaged_threads.add(str(values.get("thread_id")))
            continue
        with suppress(sqlite3.IntegrityError):
            done.rows += fresh.execute(insert, row).rowcount
            saved.add(number)
    missing, is_complete = _find_missing_threads(source, table, saved)
    done.damaged_threads |= missing
    done.has_unknown_losses |= bool(gaps) and not is_complete or len(gaps) >= _MOST_FAILURES


def _list_shared_columns(
    source: sqlite3.Connection, fresh: sqlite3.Connection, table: str
) -> list[str]:
    """The columns that both have."""
    query = f"PRAGMA table_info({table})"
    known = {row[1] for row in fresh.execute(query)}
    with suppress(sqlite3.Error):
        return [row[1] for row in source.execute(query) if row[1] in known]
    return []


def _is_sound(table: str, values: dict[str, Any]) -> bool:
    if table not in _PACKED or values.get("type") != "msgpack":
        return True
    return unpack_blob(values.get(_PACKED[table])) is not None


def _read_rows(
    source: sqlite3.Connection, table: str, columns: Sequence[str], gaps: list[int]
) -> Iterator[tuple[Any, ...]]:
    """All rows that can be read, each with its number before it.

    Where reading fails, the number goes to `gaps`.
    """
    every = f"SELECT rowid, {', '.join(columns)} FROM {table}"
    query = every + " WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    ranges = [(1, _find_last_rowid(source, table, gaps))]
    while ranges and len(gaps) < _MOST_FAILURES:
        first, last = ranges.pop()
        try:
            for row in source.execute(query, (first, last)):
                yield row
                first = row[0] + 1
        except sqlite3.Error:
            gaps.append(first)
            middle = (first + last) // 2
            ranges += [(middle + 1, last), (first, middle)] if first < last else []


def _find_last_rowid(source: sqlite3.Connection, table: str, gaps: list[int]) -> int:
    for query in (f"SELECT MAX(rowid) FROM {table}", f"SELECT COUNT(*) FROM {table}"):
        try:
            return source.execute(query).fetchone()[0] or 0
        except sqlite3.Error:
            gaps.append(0)
    return _MOST_FAILURES


def _find_missing_threads(
    source: sqlite3.Connection, table: str, saved: set[int]
) -> tuple[set[str], bool]:
    """The threads whose rows an index knows and nobody can read.

    And whether the index itself could be read to its end.
    """
    missing: set[str] = set()
    query = f"SELECT rowid, thread_id FROM {table} ORDER BY thread_id"
    try:
        for number, thread in source.execute(query):
            if number not in saved:
                missing.add(thread)
    except sqlite3.Error:
        return missing, False
    return missing, True
