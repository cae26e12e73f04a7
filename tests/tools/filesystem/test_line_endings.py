"""Each line keeps its own ending; a new one takes that of the line it stands for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.filesystem.line_endings import Endings, with_endings, without_endings
from maxagent.tools.textedits.text_edits import TextEdit, apply_edits

MIXED = ("\r\n", "\n", "\r\n")


def test_the_endings_of_a_text_are_found() -> None:
    assert without_endings("a\r\nb\nc\r\nd") == ("a\nb\nc\nd", Endings("\r\n", MIXED))
    assert without_endings("a\r\nb\r\n") == ("a\nb\n", Endings("\r\n"))
    assert without_endings("a\rb\r") == ("a\nb\n", Endings("\r"))
    assert without_endings("a\rb\n") == ("a\rb\n", Endings("\n"))
    assert without_endings("a") == ("a", Endings("\n"))


@pytest.mark.parametrize(
    ("text_edits", "raw"),
    [
        ([TextEdit(2, 3, "B")], "a\r\nB\nc\r\nd"),
        ([TextEdit(2, 3, "B\nx")], "a\r\nB\nx\nc\r\nd"),  # a line cut in two: both as it was
        ([TextEdit(4, 4, "x\n")], "a\r\nb\nx\nc\r\nd"),  # between two lines: as the one above
        ([TextEdit(0, 0, "x\n")], "x\r\na\r\nb\nc\r\nd"),
        ([TextEdit(7, 7, "\nx")], "a\r\nb\nc\r\nd\r\nx"),
        ([TextEdit(1, 4, "")], "ac\r\nd"),
        ([TextEdit(0, 6, "a\nx\nc\n")], "a\r\nx\nc\r\nd"),
        ([TextEdit(0, 6, "a\nb\nx\nc\n")], "a\r\nb\nx\nc\r\nd"),
        ([TextEdit(0, 1, "A"), TextEdit(6, 7, "D\n")], "A\r\nb\nc\r\nD\r\n"),
    ],
)
def test_new_line_ends_as_the_one_it_replaces(text_edits: list[TextEdit], raw: str) -> None:
    old = "a\nb\nc\nd"
    assert (
        with_endings(old, Endings("\r\n", MIXED), apply_edits(old, text_edits), text_edits) == raw
    )


LINES = st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "\r\n", "汉\r\n"]), max_size=12)


@given(LINES, st.sampled_from(["", "end"]), st.data())
def test_all_outside_the_pieces_stays_as_it_was(
    lines: list[str], end: str, data: st.DataObject
) -> None:
    old, endings = without_endings("".join(lines) + end)
    places = sorted(data.draw(st.sets(st.integers(0, len(old)), max_size=6)))
    text_edits = [
        TextEdit(start, stop, data.draw(st.text("xy\n", max_size=5)))
        for start, stop in zip(places[::2], places[1::2], strict=False)
    ]
    raw = with_endings(old, endings, apply_edits(old, text_edits), text_edits)
    each = iter(endings.each or [endings.usual] * old.count("\n"))
    own = ["".join(next(each) if letter == "\n" else letter) for letter in old]
    number, done = 0, 0
    for piece in [*text_edits, TextEdit(len(old), len(old), "")]:
        text = "".join(own[done : piece.start])
        assert raw.startswith(text, number)
        number += len(text)
        for letter in piece.new:
            number += 2 if raw.startswith("\r\n", number) and letter == "\n" else 1
        done = piece.end
    assert number == len(raw)
