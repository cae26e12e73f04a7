"""Calls that a kill cut short: what they did to files goes on record before files are put back."""

import asyncio
from itertools import zip_longest

from ..snapshots.store import Snapshots
from .history import RESTORES, FileHistory


async def record_crashed_calls(snapshots: Snapshots, history: FileHistory, thread_id: str) -> None:
    """Record all that has changed since such a call began as its doing, but as unsure.

    The thread must be held, and not be resumed: it would find out by itself.
    """
    entries = await asyncio.to_thread(history.list_entries, thread_id)
    for entry, following in zip_longest(entries, entries[1:]):
        if entry.state == "done" or entry.kind in (*RESTORES, "others"):
            continue
        after = following.before if following else await snapshots.take()
        changes = await snapshots.list_changes(entry.before, after)
        await asyncio.to_thread(
            history.finish_entry, thread_id, entry.key, after=after, changes=changes, sure=False
        )
