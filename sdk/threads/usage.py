"""What a thread has used so far, read from its last checkpoint; without loading LangGraph."""

from contextlib import closing
from pathlib import Path

from ...config import paths
from ...memory.checkpoints.steps import number_of
from ...memory.checkpoints.writes import written
from ...memory.database.checkpoint_queries import part, values
from ...memory.database.connection import connect, explained
from ..events import TokenUsage


def used_so_far(thread_id: str, home: Path, context_length: int) -> TokenUsage | None:
    """Its totals, as its last answer told them; None where nothing has been answered."""
    path, window = paths.database(home), 0
    with explained(path), closing(connect(path)) as connection:
        totals = part(values(connection, thread_id), "usage")
        for row in written(connection, thread_id) if totals else ():
            if row.channel == "messages" and row.value:
                window = number_of(part(row.value, "usage_metadata").get("input_tokens")) or window
    if not totals:
        return None
    cost = totals.get("cost")
    return TokenUsage(
        *(number_of(totals.get(key)) for key in ("requests", "input", "output", "cached")),
        cost=cost if isinstance(cost, float) else None,
        window=window,
        context_length=context_length,
    )


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
