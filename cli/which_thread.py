"""Which thread a command means: the one that is named, or the folder's latest that fits."""

from collections.abc import Callable
from pathlib import Path

from ..config.errors import UsageError
from ..memory.threads import ThreadRow
from .threads import open_index


def which_thread(
    text: str | None, fits: Callable[[ThreadRow], bool] = lambda row: True
) -> ThreadRow:
    """The thread; raises UsageError when there is none. When none fits, it is the latest.

    An empty name is no default: a script whose variable is empty must not undo something else.
    """
    index = open_index()
    if text is not None:
        return index.find(text)
    latest = index.latest(Path.cwd())
    return next((row for row in index.list(Path.cwd()) if fits(row)), latest)


def latest_chat(folder: Path) -> ThreadRow:
    """The folder's conversation that was used last; raises UsageError when there is none."""
    rows = open_index().list(folder)
    found = next((row for row in rows if row.graph == "chat"), None)
    if found is None:
        raise UsageError(
            f"no conversation in `{folder.resolve()}` yet",
            hint="`mcode` begins one; `mcode threads list` shows other threads",
        )
    return found
