"""A diff made from the pieces alone is as right as one made from the whole texts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.textedits.changed_lines import ChangedBlock, find_blocks
from maxagent.tools.textedits.text_edits import TextEdit, apply_edits
from maxagent.tools.textedits.unified_diff import build_diff, count_changes, find_changed_lines

OLD = "a\nb\nc\nd\n"


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        ([TextEdit(2, 3, "B")], [ChangedBlock(1, 2, 1, 2)]),
        ([TextEdit(2, 3, "B\nx")], [ChangedBlock(1, 2, 1, 3)]),
        ([TextEdit(0, 1, "A"), TextEdit(1, 2, "")], [ChangedBlock(0, 2, 0, 1)]),
        (
            [TextEdit(0, 1, "A"), TextEdit(6, 7, "x\nD")],
            [ChangedBlock(0, 1, 0, 1), ChangedBlock(3, 4, 3, 5)],
        ),
        ([], []),
    ],
)
def test_blocks_are_whole_lines(pieces: list[TextEdit], found: list[ChangedBlock]) -> None:
    assert find_blocks(OLD, pieces) == found


@given(st.text("ab\n", max_size=30), st.data())
def test_diff_from_edits_turns_old_text_into_new(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pieces = [
        TextEdit(start, stop, data.draw(st.text("ab\n", max_size=5)))
        for start, stop in zip(places[::2], places[1::2], strict=False)
    ]
    new = apply_edits(text, pieces)
    before, after = text.splitlines(keepends=True), new.splitlines(keepends=True)
    made, done = list[str](), 0
    for change in find_changed_lines(text, new, pieces):
        made += [*before[done : change.start], *after[change.new_start : change.new_end]]
        done = change.end
    assert [*made, *before[done:]] == after
    assert (build_diff(text, new, "a", pieces) == "") == (text == new)


def test_many_changes_in_long_file_are_fast() -> None:
    old = "".join(f"line {number}\n\n" for number in range(50_000))
    pieces = list[TextEdit]()
    for number in range(0, 50_000, 2):
        at = old.index(f"line {number}\n", pieces[-1].end if pieces else 0)
        pieces.append(TextEdit(at, at + 4, "LINE"))
    begun = time.process_time()
    diff = build_diff(old, apply_edits(old, pieces), "a", pieces)
    assert count_changes(diff) == (25_000, 25_000)
    assert time.process_time() - begun < 5
