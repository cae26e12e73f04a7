"""Long texts are split at lines that both have once, in the order of both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.textedits.anchors import find_anchors

LETTERS = st.lists(st.sampled_from("abcdefgh"), max_size=10)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abc", "axc", [(0, 0), (2, 2)]),
        ("aab", "aab", [(2, 2)]),
        ("abc", "bca", [(1, 0), (2, 1)]),
        ("abc", "xyz", []),
        ("", "a", []),
    ],
)
def test_lines_that_both_have_once_are_found(
    old: str, new: str, found: list[tuple[int, int]]
) -> None:
    assert find_anchors(list(old), list(new)) == found


@given(LETTERS, LETTERS)
def test_anchors_are_equal_lines_and_ascend(old: list[str], new: list[str]) -> None:
    found = find_anchors(old, new)
    assert all(old[at] == new[new_at] for at, new_at in found)
    assert all(a < c and b < d for (a, b), (c, d) in zip(found, found[1:], strict=False))
