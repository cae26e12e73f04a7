from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.undo.history import HistoryEntry
from maxagent.memory.undo.undo_stack import (
    find_active_entries,
    find_changes_of,
    find_last_restore,
    find_last_turn,
    find_later_entries,
)

CHANGE = PathChange("a", ABSENT, FileVersion("100644", "1" * 40))
OTHER = replace(CHANGE, path="b")


def entry(
    number: int, kind: str = "tool", turn: int = 1, reverted: Sequence[int] = ()
) -> HistoryEntry:
    return HistoryEntry(
        number=number,
        key=str(number),
        kind=kind,  # type: ignore[arg-type]
        tool="edit",
        turn=turn,
        before="b",
        after="a",
        changes=(CHANGE,),
        reverted=tuple(reverted),
        state="done",
        sure=True,
        created_at="",
    )


def numbers(entries: Sequence[HistoryEntry]) -> list[int]:
    return [entry.number for entry in entries]


UNDONE = [entry(1), entry(2, "shell", 2), entry(3, "others", 2), entry(4, "undo", 2, [2])]


def test_what_was_undone_is_not_in_effect() -> None:
    assert numbers(find_active_entries(UNDONE)) == [1]


def test_an_undo_of_a_file_takes_its_changes() -> None:
    both = replace(entry(1), changes=(CHANGE, OTHER))
    [first, second] = find_changes_of([both, entry(2, turn=2)], ["a"])
    assert (first.changes, second.changes) == ((CHANGE,), (CHANGE,))
    undone = replace(entry(3, "undo", 2, [1, 2]), skipped=frozenset("b"))
    assert find_changes_of([both, entry(2, turn=2), undone], ["a"]) == []
    assert numbers(find_changes_of([both, entry(2, turn=2), undone], ["b"])) == [1]


FIRST, SECOND = (FileVersion("100644", digit * 40) for digit in "12")


def change(path: str, old: FileVersion, new: FileVersion) -> PathChange:
    return PathChange(path, old, new)


def move(old: str, new: str, version: FileVersion = FIRST) -> tuple[PathChange, PathChange]:
    return change(old, version, ABSENT), change(new, ABSENT, version)


@pytest.mark.parametrize(
    ("kind", "changes", "path", "expected"),
    [
        ("shell", move("a", "b"), "a", "a b"),
        ("shell", move("a", "b"), "b", "a b"),
        ("tool", (change("a", FIRST, ABSENT), change("b", ABSENT, SECOND)), "b", "a b"),
        ("shell", (change("a", FIRST, ABSENT), change("b", ABSENT, SECOND)), "b", "b"),
        ("shell", (change("a", FIRST, ABSENT), change("b", SECOND, FIRST)), "a", "a b"),
        ("shell", (*move("a", "b"), *move("c", "d", SECOND)), "d", "c d"),
        ("shell", (*move("x/a", "y/a"), *move("x/b", "y/b")), "x/b", "x/b y/b"),
        ("shell", (*move("a", "b"), change("c", ABSENT, SECOND)), "c", "c"),
    ],
)
def test_a_moved_file_is_undone_whole(
    kind: str, changes: tuple[PathChange, ...], path: str, expected: str
) -> None:
    reverted = find_changes_of([replace(entry(1, kind), changes=changes)], [path])
    assert sorted(each.path for entry in reverted for each in entry.changes) == expected.split()


def test_a_file_moved_twice_comes_back() -> None:
    entries = [replace(entry(at), changes=move(*names)) for at, names in ((1, "ab"), (2, "bc"))]
    assert find_changes_of(entries, ["c"]) == entries


def test_what_was_redone_is_in_effect_again() -> None:
    assert numbers(find_active_entries([*UNDONE, entry(5, "redo", 2, [4])])) == [1, 2]


def test_interrupted_restore_does_not_count() -> None:
    assert numbers(
        find_active_entries([entry(1), replace(entry(2, "undo", 1, [1]), state="started")])
    ) == [1]


def test_undo_takes_last_turn_in_effect() -> None:
    assert numbers(find_last_turn(UNDONE[:3])) == [2]
    assert numbers(find_last_turn(UNDONE)) == [1]
    assert find_last_turn([]) == []


BOTH = replace(entry(1), changes=(CHANGE, OTHER))
PARTLY = replace(entry(2, "undo", 1, [1]), skipped=frozenset("a"))


def test_changes_left_by_undo_stay_undoable() -> None:
    remaining = [replace(BOTH, changes=(CHANGE,))]
    assert list(find_active_entries([BOTH, PARTLY])) == remaining
    assert find_last_turn([entry(0), BOTH, PARTLY]) == [entry(0), *remaining]
    assert numbers(find_last_turn([entry(0), BOTH, PARTLY, entry(3, "undo", 1, [1])])) == [0]


def test_what_a_redo_left_alone_is_still_undone() -> None:
    undo = replace(entry(2, "undo", 1, [1]), changes=(CHANGE, OTHER))
    redo = replace(entry(3, "redo", 1, [2]), skipped=frozenset("b"))
    assert list(find_active_entries([BOTH, undo, redo])) == [replace(BOTH, changes=(CHANGE,))]
    assert find_last_restore([BOTH, undo, redo]) == replace(undo, changes=(OTHER,))


def test_restore_without_work_counts() -> None:
    idle = replace(entry(2, "undo", 1, [1]), changes=())
    assert find_active_entries([entry(1), idle]) == ()
    assert find_last_restore([entry(1), idle]) == idle
    assert find_last_restore([entry(1), idle, entry(3, "redo", 1, [2])]) is None


def test_redo_takes_last_undo_then_previous() -> None:
    undone = [*UNDONE, entry(5, "undo", 1, [1])]
    first = find_last_restore(undone)
    assert first and first.number == 5
    second = find_last_restore([*undone, entry(6, "redo", 1, [5])])
    assert second and second.number == 4
    assert find_last_restore([*undone, entry(6, "redo", 1, [5]), entry(7, "redo", 1, [4])]) is None


def test_redo_after_other_changes_has_nothing() -> None:
    assert find_last_restore([*UNDONE, entry(5, "others", 3)]) is not None
    assert find_last_restore([*UNDONE, entry(5, "tool", 3)]) is None
    idle = replace(entry(5, "shell", 3), changes=())
    assert find_last_restore([*UNDONE, idle]) is not None


def test_rewind_takes_all_later_own_entries() -> None:
    assert numbers(find_later_entries(UNDONE, 1)) == [2, 4]


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["tool", "shell", "others", "turn", "undo", "redo"])),
        st.tuples(st.just("rewind"), st.integers(0, 20)),
    ),
    max_size=40,
)


@given(actions=ACTIONS)
def test_active_entries_match_model_after_any_actions(
    actions: list[tuple[str, int]],
) -> None:
    """The model remembers the whole set after each entry, and goes back by looking it up."""
    entries: list[HistoryEntry] = []
    after: list[frozenset[int]] = [frozenset()]
    undone: list[int] = []
    turn = 1
    for kind, *location in actions:
        number, now = len(entries) + 1, after[-1]
        reverted: list[HistoryEntry] = []
        if kind == "turn":
            turn += 1
            continue
        if kind in ("tool", "shell"):
            undone.clear()
            now |= {number}
        elif kind == "undo":
            reverted = find_last_turn(entries)
            last = max((entries[n - 1].turn for n in now), default=0)
            missing = {n for n in now if entries[n - 1].turn == last}
            assert set(numbers(reverted)) == missing
            now -= missing
        elif kind == "redo":
            restore = find_last_restore(entries)
            assert (restore.number if restore else None) == (undone[-1] if undone else None)
            if restore:
                reverted, now = [restore], after[undone.pop() - 1]
        elif kind == "rewind":
            at = min(location[0], len(entries))
            reverted, now = find_later_entries(entries, at), after[at]
        if kind in ("undo", "redo", "rewind"):
            if not reverted:
                continue
            undone += [number] if kind != "redo" else []
        entries.append(entry(number, kind, turn, numbers(reverted)))
        after.append(now)
        assert set(numbers(find_active_entries(entries))) == now
