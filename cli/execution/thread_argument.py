"""Which thread a command means: the one that is named, or the folder's latest that fits."""

import sys
from collections.abc import Callable
from pathlib import Path

import typer

from ...config.errors import UsageError
from ...config.text import text
from ...memory.threads.index import ThreadRow
from ..prompts.choice import INTERRUPTED
from ..rendering.thread_listing import open_index


def resolve_thread(
    text: str | None, fits: Callable[[ThreadRow], bool] = lambda row: True
) -> ThreadRow:
    """The thread; raises UsageError when there is none. When none fits, it is the latest.

    An empty name is no default: a script whose variable is empty must not undo something else.
    """
    index = open_index()
    if text is not None:
        return index.find(text)
    latest = index.get_latest(Path.cwd())
    return next((row for row in index.list(Path.cwd()) if fits(row)), latest)


def find_latest_chat(folder: Path) -> ThreadRow:
    """The folder's conversation that was used last; raises UsageError when there is none."""
    return list_chats(folder)[0]


def pick_chat(folder: Path) -> ThreadRow:
    """The folder's conversation that the human picks; who leaves ends the command.

    Raises UsageError where nobody can pick, and where there is none.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "`--resume` without an ID needs a terminal",
            hint="give an ID or a name; run `mcode threads list` to list threads",
        )
    from ..prompts.thread_picker import pick_thread

    picked = pick_thread(list_chats(folder))
    if picked is None:
        raise typer.Exit(INTERRUPTED)
    return picked


def list_chats(folder: Path) -> list[ThreadRow]:
    """The folder's conversations, the last used first; raises UsageError when there is none."""
    found = [row for row in open_index().list(folder) if row.graph == "chat"]
    if not found:
        raise UsageError(
            text("no conversations in `{folder}` yet", folder=folder.resolve()),
            hint="start one with `mcode`, or list other threads with `mcode threads list`",
        )
    return found
