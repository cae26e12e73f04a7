"""Disk usage of threads; does not load LangGraph."""

import os
from contextlib import closing
from pathlib import Path

from ...config import paths
from ...memory.checkpoints.tables import read_sizes
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.snapshots import garbage_collection
from ...memory.threads.record import ThreadRow


def measure_threads(rows: list[ThreadRow], home: Path) -> dict[str, int]:
    """Return the bytes of each thread: its checkpoints, outputs, backups, `/tmp` and logs."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        sizes = read_sizes(connection)
    bytes_by_thread = {row.thread_id: sizes.get(row.thread_id, 0) for row in rows}
    for thread in bytes_by_thread:
        for kind in paths.THREAD_FOLDERS:
            bytes_by_thread[thread] += measure_folder(kind(home, thread))
        bytes_by_thread[thread] += sum(map(_measure_file, paths.find_request_logs(home, thread)))
    return bytes_by_thread


def measure_snapshots(rows: list[ThreadRow], home: Path) -> dict[Path, int]:
    """Return the bytes of the snapshots of each folder of the threads."""
    folders = {Path(row.folder).resolve() for row in rows}
    every = garbage_collection.measure_stores(paths.ensure_data_folder(home) / "snapshots")
    return {folder: size for folder, size in every.items() if folder in folders}


def measure_database(home: Path) -> int:
    """Return the bytes of the database, including its write-ahead log."""
    path = paths.locate_database(home)
    return sum(_measure_file(path.with_name(path.name + suffix)) for suffix in ("", "-wal"))


def measure_folder(folder: Path) -> int:
    """Return the bytes of all files below a folder; 0 if it does not exist."""
    return sum(
        _measure_file(Path(above, name)) for above, _, names in os.walk(folder) for name in names
    )


def _measure_file(file: Path) -> int:
    """Return the bytes of a file; 0 if it does not exist or was just deleted."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
