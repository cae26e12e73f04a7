"""Whether a thread's last run was killed: whoever ends otherwise leaves word of how it stands."""

from contextlib import closing
from pathlib import Path

from ...config import paths
from ..database.connection import connect, explained


def was_killed(home: Path, thread_id: str) -> bool:
    """Whether it still counts as running; only whoever holds the thread knows that it does not."""
    path = paths.database(home)
    with explained(path), closing(connect(path)) as connection:
        query = "SELECT status FROM threads WHERE thread_id = ?"
        return connection.execute(query, (thread_id,)).fetchone() == ("running",)
