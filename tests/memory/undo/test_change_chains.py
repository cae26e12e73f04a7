from collections.abc import Sequence

import pytest

from maxagent.memory.snapshots.file_version import FILE, Change, Version
from maxagent.memory.undo.change_chains import Run, chains
from maxagent.memory.undo.history import Entry

A, B, C, D = (Version(FILE, letter * 40) for letter in "abcd")
Step = tuple[Version, Version]


def entry(
    number: int,
    *steps: Step,
    path: str = "x",
    reverted: Sequence[int] = (),
    left: str = "",
    sure: bool = True,
) -> Entry:
    return Entry(
        number=number,
        key=str(number),
        kind="undo" if reverted else "shell",
        tool="run_command",
        turn=1,
        before="",
        after="",
        changes=tuple(Change(path, old, new) for old, new in steps),
        reverted=tuple(reverted),
        state="done",
        sure=sure,
        created_at="",
        left=frozenset(left),
    )


def run(old: Version, new: Version, unsure: str = "") -> Run:
    return Run(old, new, unsure)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([entry(1, (A, B)), entry(2, (B, C))], [run(A, C)]),
        ([entry(1, (A, B)), entry(3, (C, D))], [run(A, B), run(C, D)]),
        ([entry(1, (A, B)), entry(2, (B, A))], [run(A, A)]),
        ([entry(1, (A, B), sure=False), entry(2, (B, C))], [run(A, C, "run_command")]),
        ([entry(1, (A, B)), entry(2, (C, A), reverted=[1])], []),
        ([entry(2, (B, A), reverted=[1])], [run(B, A)]),
        ([entry(2, (B, C)), entry(3, (C, A), reverted=[1, 2])], [run(B, A)]),
        (
            [entry(1, (A, B)), entry(2, (B, A), reverted=[1]), entry(3, (A, B), reverted=[2])],
            [run(A, B)],
        ),
        (
            [
                entry(1, (A, B)),
                entry(2, (B, A), reverted=[1]),
                entry(3, (A, C)),
                entry(4, (D, A), reverted=[1, 2, 3]),
            ],
            [],
        ),
    ],
)
def test_contiguous_changes_are_one_and_what_was_taken_back_is_none(
    entries: list[Entry], expected: list[Run]
) -> None:
    assert chains(entries) == ({"x": expected} if expected else {})


def test_a_file_that_a_restore_left_alone_is_still_to_be_taken_back() -> None:
    both = entry(1, (A, B))
    other = entry(2, (A, B), path="y")
    undo = entry(3, (B, A), path="y", reverted=[1, 2], left="x")
    assert chains([both, other, undo]) == {"x": [run(A, B)]}
    forced = entry(4, (C, A), reverted=[1])
    assert chains([both, other, undo, forced]) == {}


def test_where_a_restore_had_nothing_to_do_nothing_is_left_to_do() -> None:
    assert chains([entry(1, (A, B)), entry(2, reverted=[1])]) == {}


def test_files_come_by_path() -> None:
    assert list(chains([entry(1, (A, B), path="y"), entry(2, (A, B))])) == ["x", "y"]
