"""Which changes of a thread's history are in effect, and what undo, redo and rewind take back.

Pure: entries in, entries out. What others changed is nobody's to take back and is left out. Files
count one by one, because a restore may have left some alone.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache

from ..snapshots.file_version import FileVersion
from .history import RESTORES, HistoryEntry


def find_active_entries(entries: Sequence[HistoryEntry]) -> tuple[HistoryEntry, ...]:
    """What tools and commands of the thread did and what no restore in effect has taken back.

    Of an entry that was taken back in part, the changes that were not.
    """
    return tuple(entry for entry in _find_in_effect(entries) if entry.kind not in RESTORES)


def find_last_turn(entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """What `undo` takes back: the changes of the last turn that has any in effect."""
    done = [entry for entry in find_active_entries(entries) if entry.changes]
    return [entry for entry in done if entry.turn == done[-1].turn]


def find_last_restore(entries: Sequence[HistoryEntry]) -> HistoryEntry | None:
    """What `redo` takes back: the last undo or rewind, while nothing else was done after it."""
    for entry in reversed(_find_in_effect(entries)):
        if entry.kind in ("undo", "rewind"):
            return entry
        if entry.kind != "redo" and entry.changes:
            return None
    return None


def find_later_entries(entries: Sequence[HistoryEntry], number: int) -> list[HistoryEntry]:
    """What a rewind takes back: all own entries after that number, restores among them."""
    return [entry for entry in entries if entry.number > number and _is_own(entry)]


def drop_claimed(entry: HistoryEntry, claimed: Collection[tuple[str, FileVersion]]) -> HistoryEntry:
    """The entry without the doubtful changes that another thread's history says it made."""
    changes = tuple(
        change
        for change in entry.changes
        if change.path not in entry.doubtful or (change.path, change.new) not in claimed
    )
    return replace(entry, changes=changes)


def _find_in_effect(entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """The own entries, restores too, with those of their changes that are not taken back."""
    taken_back = _build_reverted_check(entries)
    found: list[HistoryEntry] = []
    for entry in filter(_is_own, entries):
        changes = tuple(c for c in entry.changes if not taken_back(entry.number, c.path))
        if changes or not (entry.changes or taken_back(entry.number, "")):
            found.append(entry if changes == entry.changes else replace(entry, changes=changes))
    return found


def _build_reverted_check(entries: Sequence[HistoryEntry]) -> Callable[[int, str], bool]:
    """Whether an entry's change of a file is taken back by a restore that is itself in effect."""
    restores: dict[int, list[HistoryEntry]] = {}
    for restore in filter(_is_own, entries):
        for number in restore.reverted:
            restores.setdefault(number, []).append(restore)

    @cache
    def is_reverted(number: int, path: str) -> bool:
        return any(
            path not in restore.left_alone and not is_reverted(restore.number, path)
            for restore in reversed(restores.get(number, []))
        )

    return is_reverted


def _is_own(entry: HistoryEntry) -> bool:
    """Whether it is the thread's own; a restore that is `started` has yet to be finished."""
    return entry.kind != "others" and (entry.state == "done" or entry.kind not in RESTORES)
