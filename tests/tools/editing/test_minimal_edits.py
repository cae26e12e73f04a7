"""Pieces of an exact replacement hold changed lines only."""

from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.editing.minimal_edits import exact_pieces
from maxagent.tools.textedits.text_edits import Piece, put


def test_lines_that_both_have_are_in_no_piece() -> None:
    assert exact_pieces(2, "a\nb\nc", "a\nX\nc") == [Piece(4, 6, "X\n")]
    assert exact_pieces(0, "word", "words") == [Piece(0, 4, "words")]


@given(st.text("ab\n\r\u2028"), st.text("ab\n\r\u2028"))
def test_the_pieces_make_the_new_text(old: str, new: str) -> None:
    assert put(f"<{old}>", exact_pieces(1, old, new)) == f"<{new}>"
