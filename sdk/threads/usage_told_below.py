"""Which instruction files of folders below a conversation was told; without loading LangGraph."""

from contextlib import closing
from pathlib import Path

from ...config import paths
from ...memory.checkpoints.writes import written
from ...memory.database.checkpoint_queries import part
from ...memory.database.connection import connect, explained

TOLD = "instructions"
"""The mark of `nodes/agent/nested_instructions.py`."""


def told_below(thread_id: str, home: Path) -> list[str]:
    """Their paths in the order in which they were told, each once."""
    path, found = paths.database(home), dict[str, None]()
    with explained(path), closing(connect(path)) as connection:
        for row in written(connection, thread_id):
            if row.channel == "messages":
                names = part(row.value, "additional_kwargs").get(TOLD, ())
                found |= dict.fromkeys(map(str, names))
    return list(found)
