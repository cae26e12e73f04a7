from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from maxagent.memory.snapshots.file_version import ABSENT, Change, Version
from maxagent.memory.undo.history import Entry
from maxagent.memory.undo.undo_stack import active, last_restore, last_turn, later

CHANGE = Change("a", ABSENT, Version("100644", "1" * 40))
OTHER = replace(CHANGE, path="b")


def entry(number: int, kind: str = "tool", turn: int = 1, reverted: Sequence[int] = ()) -> Entry:
    return Entry(
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


def numbers(entries: Sequence[Entry]) -> list[int]:
    return [entry.number for entry in entries]


UNDONE = [entry(1), entry(2, "shell", 2), entry(3, "others", 2), entry(4, "undo", 2, [2])]


def test_what_was_undone_is_not_in_effect() -> None:
    assert numbers(active(UNDONE)) == [1]


def test_what_was_redone_is_in_effect_again() -> None:
    assert numbers(active([*UNDONE, entry(5, "redo", 2, [4])])) == [1, 2]


def test_a_restore_that_was_cut_short_does_not_count_yet() -> None:
    assert numbers(active([entry(1), replace(entry(2, "undo", 1, [1]), state="started")])) == [1]


def test_undo_takes_the_last_turn_that_has_something_in_effect() -> None:
    assert numbers(last_turn(UNDONE[:3])) == [2]
    assert numbers(last_turn(UNDONE)) == [1]
    assert last_turn([]) == []


BOTH = replace(entry(1), changes=(CHANGE, OTHER))
PARTLY = replace(entry(2, "undo", 1, [1]), left=frozenset("a"))


def test_what_an_undo_left_alone_is_still_in_effect_and_to_be_undone() -> None:
    left = [replace(BOTH, changes=(CHANGE,))]
    assert list(active([BOTH, PARTLY])) == left
    assert last_turn([entry(0), BOTH, PARTLY]) == [entry(0), *left]
    assert numbers(last_turn([entry(0), BOTH, PARTLY, entry(3, "undo", 1, [1])])) == [0]


def test_what_a_redo_left_alone_is_still_undone() -> None:
    undo = replace(entry(2, "undo", 1, [1]), changes=(CHANGE, OTHER))
    redo = replace(entry(3, "redo", 1, [2]), left=frozenset("b"))
    assert list(active([BOTH, undo, redo])) == [replace(BOTH, changes=(CHANGE,))]
    assert last_restore([BOTH, undo, redo]) == replace(undo, changes=(OTHER,))


def test_a_restore_that_had_nothing_to_do_counts_like_any() -> None:
    idle = replace(entry(2, "undo", 1, [1]), changes=())
    assert active([entry(1), idle]) == ()
    assert last_restore([entry(1), idle]) == idle
    assert last_restore([entry(1), idle, entry(3, "redo", 1, [2])]) is None


def test_redo_takes_the_last_undo_and_then_the_one_before() -> None:
    undone = [*UNDONE, entry(5, "undo", 1, [1])]
    first = last_restore(undone)
    assert first and first.number == 5
    second = last_restore([*undone, entry(6, "redo", 1, [5])])
    assert second and second.number == 4
    assert last_restore([*undone, entry(6, "redo", 1, [5]), entry(7, "redo", 1, [4])]) is None


def test_there_is_nothing_to_redo_once_something_else_was_done() -> None:
    assert last_restore([*UNDONE, entry(5, "others", 3)]) is not None
    assert last_restore([*UNDONE, entry(5, "tool", 3)]) is None
    idle = replace(entry(5, "shell", 3), changes=())
    assert last_restore([*UNDONE, idle]) is not None


def test_a_rewind_takes_everything_later_but_what_others_did() -> None:
    assert numbers(later(UNDONE, 1)) == [2, 4]


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["tool", "shell", "others", "turn", "undo", "redo"])),
        st.tuples(st.just("rewind"), st.integers(0, 20)),
    ),
    max_size=40,
)


@given(actions=ACTIONS)
def test_whatever_is_undone_redone_and_rewound_what_is_in_effect_is_as_it_then_was(
    actions: list[tuple[str, int]],
) -> None:
    """The model remembers the whole set after each entry, and goes back by looking it up."""
    entries: list[Entry] = []
    after: list[frozenset[int]] = [frozenset()]
    undone: list[int] = []
    turn = 1
    for kind, *place in actions:
        number, now = len(entries) + 1, after[-1]
        reverted: list[Entry] = []
        if kind == "turn":
            turn += 1
            continue
        if kind in ("tool", "shell"):
            undone.clear()
            now |= {number}
        elif kind == "undo":
            reverted = last_turn(entries)
            last = max((entries[n - 1].turn for n in now), default=0)
            gone = {n for n in now if entries[n - 1].turn == last}
            assert set(numbers(reverted)) == gone
            now -= gone
        elif kind == "redo":
            restore = last_restore(entries)
            assert (restore.number if restore else None) == (undone[-1] if undone else None)
            if restore:
                reverted, now = [restore], after[undone.pop() - 1]
        elif kind == "rewind":
            at = min(place[0], len(entries))
            reverted, now = later(entries, at), after[at]
        if kind in ("undo", "redo", "rewind"):
            if not reverted:
                continue
            undone += [number] if kind != "redo" else []
        entries.append(entry(number, kind, turn, numbers(reverted)))
        after.append(now)
        assert set(numbers(active(entries))) == now
