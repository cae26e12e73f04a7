"""Which changes of a thread's history are in effect, and what undo, redo and rewind take back.

Pure: entries in, entries out. What others changed is nobody's to take back and is left out. Files
count one by one, because a restore may have left some alone.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache

from ..snapshots.file_version import Version
from .history import RESTORES, Entry


def active(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """What tools and commands of the thread did and what no restore in effect has taken back.

    Of an entry that was taken back in part, the changes that were not.
    """
    return tuple(entry for entry in _in_effect(entries) if entry.kind not in RESTORES)


def last_turn(entries: Sequence[Entry]) -> list[Entry]:
    """What `undo` takes back: the changes of the last turn that has any in effect."""
    done = [entry for entry in active(entries) if entry.changes]
    return [entry for entry in done if entry.turn == done[-1].turn]


def last_restore(entries: Sequence[Entry]) -> Entry | None:
    """What `redo` takes back: the last undo or rewind, while nothing else was done after it."""
    for entry in reversed(_in_effect(entries)):
        if entry.kind in ("undo", "rewind"):
            return entry
        if entry.kind != "redo" and entry.changes:
            return None
    return None


def later(entries: Sequence[Entry], number: int) -> list[Entry]:
    """What a rewind takes back: all own entries after that number, restores among them."""
    return [entry for entry in entries if entry.number > number and _counts(entry)]


def without_claimed(entry: Entry, claimed: Collection[tuple[str, Version]]) -> Entry:
    """The entry without the doubtful changes that another thread's history says it made."""
    changes = tuple(
        change
        for change in entry.changes
        if change.path not in entry.doubtful or (change.path, change.new) not in claimed
    )
    return replace(entry, changes=changes)


def _in_effect(entries: Sequence[Entry]) -> list[Entry]:
    """The own entries, restores too, with those of their changes that are not taken back."""
    taken_back = _taken_back(entries)
    found: list[Entry] = []
    for entry in filter(_counts, entries):
        changes = tuple(c for c in entry.changes if not taken_back(entry.number, c.path))
        if changes or not (entry.changes or taken_back(entry.number, "")):
            found.append(entry if changes == entry.changes else replace(entry, changes=changes))
    return found


def _taken_back(entries: Sequence[Entry]) -> Callable[[int, str], bool]:
    """Whether an entry's change of a file is taken back by a restore that is itself in effect."""
    restores: dict[int, list[Entry]] = {}
    for restore in filter(_counts, entries):
        for number in restore.reverted:
            restores.setdefault(number, []).append(restore)

    @cache
    def taken_back(number: int, path: str) -> bool:
        return any(
            path not in restore.left and not taken_back(restore.number, path)
            for restore in reversed(restores.get(number, []))
        )

    return taken_back


def _counts(entry: Entry) -> bool:
    """Whether it is the thread's own; a restore that is `started` has yet to be finished."""
    return entry.kind != "others" and (entry.state == "done" or entry.kind not in RESTORES)
