"""Lines end with a line feed only, and rows of lines are found in all their places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.editing.matching.document import TextDocument, find_places, find_rows
from maxagent.tools.editing.matching.normalization import strip_line


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\u2028b\rc\fd\n\n", ["a\u2028b\rc\fd", ""]),
    ],
)
def test_only_a_line_feed_ends_a_line(text: str, lines: list[str]) -> None:
    assert TextDocument(text).lines == lines


@given(st.text("ab\n"))
def test_each_line_begins_at_its_place(text: str) -> None:
    source = TextDocument(text)
    for start, line in zip(source.line_starts, source.lines, strict=False):
        assert text.startswith(line, start)
    assert source.line_starts[-1] in (len(text), len(text) + 1)


def test_empty_lines_are_not_filled() -> None:
    assert TextDocument("a\n \n\nb").filled_lines == [0, 3]
    assert TextDocument(" a\n").normalize_lines(strip_line) == ["a"]


@given(st.text("ab", max_size=30), st.text("ab", min_size=1, max_size=4))
def test_all_places_are_found_overlapping_ones_too(text: str, part: str) -> None:
    places = [number for number in range(len(text)) if text.startswith(part, number)]
    assert find_places(text, part) == places
    assert find_rows(list(text), list(part)) == places
    assert len(find_places(text, part, apart=True)) == text.count(part)


def test_many_overlapping_places_are_not_all_counted() -> None:
    assert len(find_places("a" * 100_000, "a" * 40_000)) == 10
    assert len(find_places("a" * 100_000, "a", apart=True)) == 100_000
