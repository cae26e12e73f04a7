"""Usage of a thread so far, read from its last checkpoint; does not load LangGraph."""

from contextlib import closing
from pathlib import Path

from ...config import paths
from ...memory.checkpoints.row_data import get_mapping, to_int
from ...memory.checkpoints.thread_facts import read_values
from ...memory.checkpoints.writes import read_channel_writes
from ...memory.database.connection import connect, translate_sqlite_errors
from ..events import TokenUsage


def read_usage(thread_id: str, home: Path, context_length: int) -> TokenUsage | None:
    """Return the totals after its last answer; None if there is none."""
    path, window = paths.locate_database(home), 0
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        totals = get_mapping(read_values(connection, thread_id), "usage")
        for row in read_channel_writes(connection, thread_id) if totals else ():
            if row.channel == "messages" and row.value:
                window = (
                    to_int(get_mapping(row.value, "usage_metadata").get("input_tokens")) or window
                )
    if not totals:
        return None
    cost = totals.get("cost")
    return TokenUsage(
        *(to_int(totals.get(key)) for key in ("requests", "input", "output", "cached")),
        cost=cost if isinstance(cost, float) else None,
        window=window,
        context_length=context_length,
    )


# The mark of `nodes/turn/request_notes.py`
INSTRUCTIONS_MARK = "instructions"


def read_nested_instructions(thread_id: str, home: Path) -> list[str]:
    """Return the paths of the files sent to the model, in order, without duplicates."""
    path, sent_paths = paths.locate_database(home), dict[str, None]()
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        for row in read_channel_writes(connection, thread_id):
            if row.channel == "messages":
                names = get_mapping(row.value, "additional_kwargs").get(INSTRUCTIONS_MARK, ())
                sent_paths |= dict.fromkeys(map(str, names))
    return list(sent_paths)
