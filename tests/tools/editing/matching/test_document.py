"""Lines end with a line feed only, and rows of lines are found in all their places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.editing.matching.document import Source, places_of, rows_of
from maxagent.tools.editing.matching.normalization import trimmed


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
    assert Source(text).lines == lines


@given(st.text("ab\n"))
def test_each_line_begins_where_it_is_said(text: str) -> None:
    source = Source(text)
    for start, line in zip(source.starts, source.lines, strict=False):
        assert text.startswith(line, start)
    assert source.starts[-1] in (len(text), len(text) + 1)


def test_empty_lines_are_not_filled() -> None:
    assert Source("a\n \n\nb").filled == [0, 3]
    assert Source(" a\n").keys(trimmed) == ["a"]


@given(st.text("ab", max_size=30), st.text("ab", min_size=1, max_size=4))
def test_all_places_are_found_overlapping_ones_too(text: str, part: str) -> None:
    places = [place for place in range(len(text)) if text.startswith(part, place)]
    assert places_of(text, part) == places
    assert rows_of(list(text), list(part)) == places
    assert len(places_of(text, part, apart=True)) == text.count(part)


def test_many_overlapping_places_of_a_long_text_are_not_all_counted() -> None:
    assert len(places_of("a" * 100_000, "a" * 40_000)) == 10
    assert len(places_of("a" * 100_000, "a", apart=True)) == 100_000
