"""A diff made from the pieces alone is as right as one made from the whole texts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.textedits.changed_lines import Block, blocks
from maxagent.tools.textedits.text_edits import Piece, put
from maxagent.tools.textedits.unified_diff import changed_lines, count_changes, unified

OLD = "a\nb\nc\nd\n"


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        ([Piece(2, 3, "B")], [Block(1, 2, 1, 2)]),
        ([Piece(2, 3, "B\nx")], [Block(1, 2, 1, 3)]),
        ([Piece(0, 1, "A"), Piece(1, 2, "")], [Block(0, 2, 0, 1)]),
        ([Piece(0, 1, "A"), Piece(6, 7, "x\nD")], [Block(0, 1, 0, 1), Block(3, 4, 3, 5)]),
        ([], []),
    ],
)
def test_blocks_are_whole_lines(pieces: list[Piece], found: list[Block]) -> None:
    assert blocks(OLD, pieces) == found


@given(st.text("ab\n", max_size=30), st.data())
def test_a_diff_from_pieces_turns_the_old_text_into_the_new(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pieces = [
        Piece(start, stop, data.draw(st.text("ab\n", max_size=5)))
        for start, stop in zip(places[::2], places[1::2], strict=False)
    ]
    new = put(text, pieces)
    before, after = text.splitlines(keepends=True), new.splitlines(keepends=True)
    made, done = list[str](), 0
    for change in changed_lines(text, new, pieces):
        made += [*before[done : change.start], *after[change.new_start : change.new_end]]
        done = change.end
    assert [*made, *before[done:]] == after
    assert (unified(text, new, "a", pieces) == "") == (text == new)


def test_many_changes_in_a_long_file_take_no_time() -> None:
    old = "".join(f"line {number}\n\n" for number in range(50_000))
    pieces = list[Piece]()
    for number in range(0, 50_000, 2):
        at = old.index(f"line {number}\n", pieces[-1].end if pieces else 0)
        pieces.append(Piece(at, at + 4, "LINE"))
    begun = time.process_time()
    diff = unified(old, put(old, pieces), "a", pieces)
    assert count_changes(diff) == (25_000, 25_000)
    assert time.process_time() - begun < 5
