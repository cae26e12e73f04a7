"""Pieces of an exact replacement hold changed lines only."""

from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.editing.minimal_edits import diff_to_edits
from maxagent.tools.textedits.text_edits import TextEdit, apply_edits


def test_lines_that_both_have_are_in_no_piece() -> None:
    assert diff_to_edits(2, "a\nb\nc", "a\nX\nc") == [TextEdit(4, 6, "X\n")]
    assert diff_to_edits(0, "word", "words") == [TextEdit(0, 4, "words")]


@given(st.text("ab\n\r\u2028"), st.text("ab\n\r\u2028"))
def test_the_pieces_make_the_new_text(old: str, new: str) -> None:
    assert apply_edits(f"<{old}>", diff_to_edits(1, old, new)) == f"<{new}>"
