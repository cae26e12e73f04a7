"""Lookup of the thread for a command: the named one, or the folder's latest that fits."""

import sys
from collections.abc import Callable
from pathlib import Path

import typer

from ...config.errors import UsageError
from ...config.exit_codes import INTERRUPTED
from ...config.text import text
from ...memory.threads.index import ThreadRow
from ..rendering.listings.threads import open_index


def resolve_thread(
    text: str | None, fits: Callable[[ThreadRow], bool] = lambda row: True
) -> ThreadRow:
    """Find the thread; raise UsageError if there is none. If none fits, return the latest.

    An empty name does not mean the default: a script whose variable is empty must not undo
    something else.
    """
    index = open_index()
    if text is not None:
        return index.find(text, Path.cwd())
    latest = index.get_latest(Path.cwd())
    if fits(latest):
        return latest
    return next((row for row in index.list(Path.cwd()) if fits(row)), latest)


def find_latest_chat(folder: Path) -> ThreadRow:
    """Return the folder's most recent conversation; raise UsageError if there is none."""
    return list_chats(folder, limit=1)[0]


def pick_chat(folder: Path) -> ThreadRow:
    """Let the user pick one of the folder's conversations; leaving the picker ends the command.

    Raises UsageError if there is no terminal or no conversation.
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


def list_chats(folder: Path, limit: int | None = None) -> list[ThreadRow]:
    """Return the folder's conversations, most recent first; raise UsageError if there is none."""
    chats = open_index().list(folder, graph="chat", limit=limit)
    if not chats:
        raise UsageError(
            text("no conversations in `{folder}` yet", folder=folder.resolve()),
            hint="start one with `mcode`, or list other threads with `mcode threads list`",
        )
    return chats
