"""The time of threads: later than all that the database knows, also after a clock was set back."""

import sqlite3
from datetime import UTC, datetime, timedelta

from ..checkpoints.thread_facts import read_latest_time

_TICK = timedelta(microseconds=1)


def read_next_time(connection: sqlite3.Connection, moment: str = "") -> str:
    """Return the moment (default: now), or one just after the last use of any thread.

    ISO 8601, UTC; the order of these texts is that of the times.
    """
    proposed = moment or datetime.now(UTC).isoformat(timespec="microseconds")
    stored = connection.execute("SELECT MAX(updated_at) FROM threads").fetchone()[0] or ""
    latest = max(stored, read_latest_time(connection))
    if latest < proposed:
        return proposed
    try:
        return (datetime.fromisoformat(latest) + _TICK).isoformat(timespec="microseconds")
    except (ValueError, OverflowError):  # another program wrote it
        return proposed
