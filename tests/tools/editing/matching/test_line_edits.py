"""Whole lines are replaced; the end of the file stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.line_edits import LineEdit, to_text_edits
from maxagent.tools.textedits.text_edits import apply_edits


def edited(text: str, *edits: LineEdit) -> str:
    source = TextDocument(text)
    return apply_edits(text, to_text_edits(source, edits))


@pytest.mark.parametrize(
    ("text", "edit", "after"),
    [
        ("a\nb\nc\n", LineEdit(1, 2, ["B"]), "a\nB\nc\n"),
        ("a\nb\nc\n", LineEdit(1, 1, ["n"]), "a\nn\nb\nc\n"),
        ("a\nb\nc\n", LineEdit(2, 3, []), "a\nb\n"),
        ("a\nb", LineEdit(2, 2, ["c"]), "a\nb\nc"),
        ("a\nb", LineEdit(1, 2, []), "a"),
        ("a\nb", LineEdit(1, 2, ["B", "C"]), "a\nB\nC"),
        ("a", LineEdit(0, 1, []), ""),
        ("", LineEdit(0, 0, ["a"]), "a\n"),
    ],
)
def test_an_edit(text: str, edit: LineEdit, after: str) -> None:
    assert edited(text, edit) == after


def test_lines_that_stay_are_in_no_piece() -> None:
    source = TextDocument("a\nb\nc\nd\n")
    assert [
        (piece.start, piece.end, piece.new)
        for piece in to_text_edits(source, [LineEdit(0, 4, ["a", "X", "c", "d"])])
    ] == [(2, 3, "X")]
    assert to_text_edits(source, [LineEdit(0, 2, ["a", "b"])]) == []


def test_edits_that_touch_are_one() -> None:
    assert edited("a\nb\nc", LineEdit(1, 2, []), LineEdit(2, 3, [])) == "a"


LINES = st.lists(st.sampled_from("abc"), max_size=6)


@given(LINES, LINES, st.data(), st.booleans())
def test_the_lines_become_what_was_asked_for(
    lines: list[str], new: list[str], data: st.DataObject, ended: bool
) -> None:
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    text = "\n".join(lines) + ("\n" if ended and lines else "")
    after = [*lines[:start], *new, *lines[end:]]
    assert TextDocument(edited(text, LineEdit(start, end, new))).lines == after
