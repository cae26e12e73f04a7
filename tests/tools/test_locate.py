"""Texts are found in all their places, and near misses by what is rare in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.locate import find, line_of, nearest


@pytest.mark.parametrize(
    ("text", "old", "places"),
    [
        ("", "a", []),
        ("abc", "", []),
        ("abcabc", "bc", [1, 4]),
        ("aaa", "aa", [0, 1]),
        ("a\nb\n", "a\nb", [0]),
        ("汉字", "字", [1]),
    ],
)
def test_all_places_are_found_overlapping_ones_too(text: str, old: str, places: list[int]) -> None:
    assert find(text, old) == places


@given(st.text("ab\n"), st.text("ab\n", min_size=1))
def test_every_place_begins_with_the_text_and_no_other_does(text: str, old: str) -> None:
    assert find(text, old) == [place for place in range(len(text)) if text.startswith(old, place)]


def test_lines_count_from_one() -> None:
    assert [line_of("a\nb\n\nc", place) for place in (0, 1, 2, 4, 5)] == [1, 1, 2, 3, 4]


FILE = [
    "def first():",
    "    return None",
    "",
    "def second():",
    "    value = compute()",
    "    return None",
]


@pytest.mark.parametrize(
    ("wanted", "start"),
    [
        (["def second():", "\treturn None"], 3),
        (["    def first():"], 0),
        (["def third():", "    value = compute()", "    return None"], 3),
        (["def secund():"], 3),
        (["nothing at all like anything in there"], None),
        (["", "  "], None),
        ([], None),
        (["a line before", "def first():"], 0),
    ],
)
def test_the_likeliest_place_is_found(wanted: list[str], start: int | None) -> None:
    assert nearest(FILE, wanted) == start


@pytest.mark.timeout(10)
def test_many_equal_or_long_lines_do_not_hang() -> None:
    assert nearest(["}", ""] * 50_000, ["}", "", "}"] * 200) is not None
    assert nearest(["x" * 100_000] * 100, ["y" * 100_000]) is None
