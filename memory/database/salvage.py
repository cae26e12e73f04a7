"""Salvage of the readable rows of a damaged database into a new one.

SQLite stops at the first page that it cannot read. Rows have numbers, so later rows are read by
number; an index, which is in other pages, shows whose rows are missing.
"""

import shutil
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..checkpoints.repair import create_tables, fill_lost_checkpoints, is_sound_row
from ..checkpoints.tables import TABLES as LANGGRAPH_TABLES

_TABLES = ("threads", "journal", "file_history", "sub_runs", "pull_requests", *LANGGRAPH_TABLES)
_MAGIC = b"SQLite format 3\0"
_HEADER_SIZE = 100  # bytes
_FIRST_PAGE_SIZE = 4096  # bytes; of databases that the first versions made
_TABLE_PAGES = (b"\x05", b"\x0d")  # first byte of an inner page of a table, and of one with rows
# most failing queries in one table: if a page high in the tree is damaged, most rows are lost
_MAX_FAILURES = 100_000


@dataclass
class SalvageResult:
    """The result of a salvage."""

    damaged_threads: set[str] = field(default_factory=set[str])
    """Ids of the threads that lost something."""
    has_unknown_losses: bool = False
    """Something is lost, and nobody knows of which threads."""


def salvage_rows(damaged: Path, fresh: sqlite3.Connection) -> SalvageResult:
    """Copy all readable rows; `fresh` has our tables, without rows.

    Raises the errors of `fresh`, such as a full disk; unreadable rows of the damaged one are lost.
    """
    done = SalvageResult()
    if not damaged.exists():
        return SalvageResult(has_unknown_losses=True)
    with repair_header_if_needed(damaged, fresh) as file, closing(open_damaged(file)) as source:
        tables = _list_tables(source, done)
        has_both = tables.issuperset(LANGGRAPH_TABLES)
        if has_both:
            create_tables(fresh)
        else:  # LangGraph creates both or none
            tables -= {*LANGGRAPH_TABLES}
        for table in sorted(tables):
            fresh.execute("BEGIN")
            _copy_table(source, fresh, table, done)
            fresh.execute("COMMIT")
    if has_both:
        done.damaged_threads |= fill_lost_checkpoints(fresh)
    return done


@contextmanager
def repair_header_if_needed(damaged: Path, fresh: sqlite3.Connection) -> Generator[Path]:
    """Yield the file, or a repaired copy if SQLite cannot open it.

    That happens if the header is broken, or if the file is shorter than its header says.
    """
    if _can_open(damaged):
        yield damaged
        return
    copy = damaged.with_name(f"{damaged.name}.repaired")
    try:
        sizes = (_FIRST_PAGE_SIZE, fresh.execute("PRAGMA page_size").fetchone()[0])
        for page_size in sizes:
            shutil.copy(damaged, copy)  # private as the damaged one
            _repair_header(copy, page_size)
            if _count_readable_tables(copy) > 1:  # with a wrong size SQLite finds at most one
                break
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _can_open(path: Path) -> bool:
    try:
        with closing(open_damaged(path)) as source:
            source.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error:
        return False
    return True


def _count_readable_tables(path: Path) -> int:
    readable_count = 0
    with closing(open_damaged(path)) as source:
        for table in _TABLES:
            with suppress(sqlite3.Error):
                source.execute(f"SELECT MIN(rowid) FROM {table}").fetchone()
                readable_count += 1
    return readable_count


def _repair_header(copy: Path, page_size: int) -> None:
    """Repair the first bytes: https://sqlite.org/fileformat2.html#the_database_header."""
    with copy.open("rb+") as file:
        header = bytearray(file.read(_HEADER_SIZE))
        if header.startswith(_MAGIC):
            page_size = int.from_bytes(header[16:18])
        else:
            header = _build_header(page_size)
        pages = max(int.from_bytes(header[28:32]), -(-copy.stat().st_size // page_size))
        header[28:32] = pages.to_bytes(4)
        # SQLite treats a page of zeros as damaged
        file.truncate(pages * page_size)
        file.seek(0)
        file.write(header)


def _build_header(page_size: int) -> bytearray:
    with closing(sqlite3.connect(":memory:")) as model:
        model.execute(f"PRAGMA page_size = {page_size}")
        model.execute("PRAGMA auto_vacuum = INCREMENTAL")
        model.execute("CREATE TABLE any_table (any_column)")
        return bytearray(model.serialize()[:_HEADER_SIZE])


def open_damaged(damaged: Path) -> sqlite3.Connection:
    """Open a damaged database to read it; text that is no UTF-8 does not stop the reading."""
    source = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True)
    source.text_factory = _decode_text
    source.execute("PRAGMA cell_size_check = ON")
    return source


def _list_tables(source: sqlite3.Connection, done: SalvageResult) -> set[str]:
    table_names: set[str] = set()
    try:
        table_names.update(name for (name,) in source.execute("SELECT name FROM sqlite_schema"))
    except sqlite3.Error:
        done.has_unknown_losses = True
    return table_names.intersection(_TABLES)


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
    for number, *row in read_rows(source, table, columns, gaps):
        values = dict(zip(columns, row, strict=True))
        if not is_sound_row(table, values):
            done.damaged_threads.add(str(values.get("thread_id")))
            continue
        with suppress(sqlite3.IntegrityError):
            fresh.execute(insert, row)
            saved.add(number)
    missing, is_complete = _find_missing_threads(source, table, saved)
    done.damaged_threads |= missing
    done.has_unknown_losses |= bool(gaps) and not is_complete or len(gaps) >= _MAX_FAILURES


def _list_shared_columns(
    source: sqlite3.Connection, fresh: sqlite3.Connection, table: str
) -> list[str]:
    """Return the columns that both have."""
    query = f"PRAGMA table_info({table})"
    fresh_columns = {row[1] for row in fresh.execute(query)}
    with suppress(sqlite3.Error):
        return [row[1] for row in source.execute(query) if row[1] in fresh_columns]
    return []


def read_rows(
    source: sqlite3.Connection, table: str, columns: Sequence[str], gaps: list[int]
) -> Iterator[tuple[Any, ...]]:
    """Yield all readable rows, each preceded by its number.

    Where reading fails, the number goes to `gaps`.
    """
    if not _has_root(source, table):
        gaps.append(0)
        return
    every = f"SELECT rowid, {', '.join(columns)} FROM {table}"
    query = every + " WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    ranges = [(1, _find_last_rowid(source, table, gaps))]
    while ranges and len(gaps) < _MAX_FAILURES:
        first, last = ranges.pop()
        try:
            for row in source.execute(query, (first, last)):
                yield row
                first = row[0] + 1
        except sqlite3.Error:
            gaps.append(first)
            middle = (first + last) // 2
            ranges += [(middle + 1, last), (first, middle)] if first < last else []


def _has_root(source: sqlite3.Connection, table: str) -> bool:
    """Return whether the page may be readable by which SQLite gets to every row of the table."""
    query = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?"
    try:
        _, _, path = source.execute("PRAGMA database_list").fetchone()
        (size,) = source.execute("PRAGMA page_size").fetchone()
        root = source.execute(query, (table,)).fetchone()
    except sqlite3.Error:
        return False
    if root is None:
        return False
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        return True  # it may have a newer page
    try:
        with open(path, "rb") as file:
            file.seek((root[0] - 1) * size)
            return file.read(1) in _TABLE_PAGES
    except (OSError, TypeError, ValueError):  # a damaged number of the page
        return False


def _find_last_rowid(source: sqlite3.Connection, table: str, gaps: list[int]) -> int:
    for query in (f"SELECT MAX(rowid) FROM {table}", f"SELECT COUNT(*) FROM {table}"):
        try:
            return source.execute(query).fetchone()[0] or 0
        except sqlite3.Error:
            gaps.append(0)
    return _MAX_FAILURES


def _find_missing_threads(
    source: sqlite3.Connection, table: str, saved: set[int]
) -> tuple[set[str], bool]:
    """Return the threads with rows that an index lists but that cannot be read.

    Also return whether the index itself could be read to its end.
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
