"""Changes in effect of a thread's history, and the entries that undo, redo and rewind revert.

Pure: entries in, entries out. Changes by others are never reverted. Each file counts separately,
because a restore may have skipped some.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache

from ..snapshots.file_version import FileVersion, PathChange
from .history import RESTORES, HistoryEntry


def find_active_entries(entries: Sequence[HistoryEntry]) -> tuple[HistoryEntry, ...]:
    """Return the changes by the thread's tools and commands that no restore in effect reverted.

    A partly reverted entry keeps only its other changes.
    """
    return tuple(entry for entry in _find_in_effect(entries) if entry.kind not in RESTORES)


def find_unpublished_entries(entries: Sequence[HistoryEntry], published: int) -> list[HistoryEntry]:
    """Return what leads from the changes in effect at entry `published` to those of now.

    What was taken back since comes first, the last change first, each led back; `published` is 0
    before anything was.
    """
    earlier = find_active_entries([entry for entry in entries if entry.number <= published])
    now = find_active_entries(entries)
    return [*_lead_back(_subtract(earlier, now)), *_subtract(now, earlier)]


def find_reverted_entries(entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """Return the own changes that are no longer in effect, the last first, each led back."""
    own = [entry for entry in entries if _is_own(entry) and entry.kind not in RESTORES]
    return _lead_back(_subtract(own, find_active_entries(entries)))


def find_last_turn(entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """Return what `undo` reverts: the changes of the last turn with any in effect."""
    done = [entry for entry in find_active_entries(entries) if entry.changes]
    return [entry for entry in done if entry.turn == done[-1].turn]


def find_changes_of(entries: Sequence[HistoryEntry], paths: Collection[str]) -> list[HistoryEntry]:
    """Return what an undo of these files alone reverts: each entry with only their changes.

    A file that was moved is taken back as a whole: both its names belong together.
    """
    active = find_active_entries(entries)
    paths = _add_moved_names(active, paths)
    return [
        replace(entry, changes=changes)
        for entry in active
        if (changes := tuple(change for change in entry.changes if change.path in paths))
    ]


def find_last_restore(entries: Sequence[HistoryEntry]) -> HistoryEntry | None:
    """Return what `redo` reverts: the last undo or rewind, if nothing was changed after it."""
    for entry in reversed(_find_in_effect(entries)):
        if entry.kind in ("undo", "rewind"):
            return entry
        if entry.kind != "redo" and entry.changes:
            return None
    return None


def find_later_entries(entries: Sequence[HistoryEntry], number: int) -> list[HistoryEntry]:
    """Return what a rewind reverts: all own entries after that number, restores included."""
    return [entry for entry in entries if entry.number > number and _is_own(entry)]


def drop_claimed(entry: HistoryEntry, claimed: Collection[tuple[str, FileVersion]]) -> HistoryEntry:
    """Return the entry without the doubtful changes that another thread's history claims."""
    changes = tuple(
        change
        for change in entry.changes
        if change.path not in entry.doubtful or (change.path, change.new) not in claimed
    )
    return replace(entry, changes=changes)


def _find_in_effect(entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """Return the own entries, restores included, with only the changes not reverted."""
    taken_back = _build_reverted_check(entries)
    effective_entries: list[HistoryEntry] = []
    for entry in filter(_is_own, entries):
        changes = tuple(c for c in entry.changes if not taken_back(entry.number, c.path))
        if changes or not (entry.changes or taken_back(entry.number, "")):
            effective_entries.append(
                entry if changes == entry.changes else replace(entry, changes=changes)
            )
    return effective_entries


def _subtract(
    entries: Sequence[HistoryEntry], others: Sequence[HistoryEntry]
) -> list[HistoryEntry]:
    """Return the entries with only the changes that the others do not have."""
    excluded = {(entry.number, change.path) for entry in others for change in entry.changes}
    pairs = [
        (entry, tuple(c for c in entry.changes if (entry.number, c.path) not in excluded))
        for entry in entries
    ]
    return [replace(entry, changes=changes) for entry, changes in pairs if changes]


def _add_moved_names(entries: Sequence[HistoryEntry], paths: Collection[str]) -> set[str]:
    """Return the paths with the other names under which the entries moved these files."""
    moves = [names for entry in entries for names in _find_moves(entry)]
    names = {*paths}
    while more := {each for pair in moves if names & {*pair} for each in pair} - names:
        names |= more
    return names


def _find_moves(entry: HistoryEntry) -> list[tuple[str, str]]:
    """Return the old and the new name of each file that the entry moved.

    It has the same content, and if several have, the same last name; or the call did nothing else.
    """
    deleted = [each for each in entry.changes if each.kind == "deleted" and each.old.has_content]
    written = [each for each in entry.changes if each.new.has_content]
    moves = list[tuple[str, str]]()
    for old in deleted:
        alike = [new for new in written if new.new.blob == old.old.blob]
        same_name = [new for new in alike if _get_last_name(new.path) == _get_last_name(old.path)]
        if len(chosen := same_name or alike) == 1:
            moves.append((old.path, chosen[0].path))
    is_one = len(deleted) == len(written) == 1 and written[0].kind == "added"
    if not moves and is_one and entry.kind == "tool":
        moves.append((deleted[0].path, written[0].path))
    return moves


def _get_last_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _lead_back(entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    return [
        replace(entry, changes=tuple(PathChange(c.path, c.new, c.old) for c in entry.changes))
        for entry in reversed(entries)
    ]


def _build_reverted_check(entries: Sequence[HistoryEntry]) -> Callable[[int, str], bool]:
    """Return a check whether a restore that is itself in effect reverted an entry's change."""
    restores: dict[int, list[HistoryEntry]] = {}
    for restore in filter(_is_own, entries):
        for number in restore.reverted:
            restores.setdefault(number, []).append(restore)

    @cache
    def is_reverted(number: int, path: str) -> bool:
        return any(
            path not in restore.skipped and not is_reverted(restore.number, path)
            for restore in reversed(restores.get(number, []))
        )

    return is_reverted


def _is_own(entry: HistoryEntry) -> bool:
    """Return whether the entry is the thread's own and not a restore that is still `started`."""
    return entry.kind != "others" and (entry.state == "done" or entry.kind not in RESTORES)
