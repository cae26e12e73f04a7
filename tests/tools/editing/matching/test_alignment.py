"""Lines are paired so that as few as possible differ."""

import pytest

from maxagent.tools.editing.matching.alignment import align_lines, with_empty_lines
from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.line_similarity import measure_similarity


def pairs(old: list[str], file: list[str]) -> list[tuple[int | None, int | None]]:
    return [(a, b) for a, b, _ in align_lines(old, file, measure_similarity)]


def test_equal_lines_stand_for_each_other() -> None:
    assert pairs(["a", "b"], ["a", "b"]) == [(0, 0), (1, 1)]


def test_changed_line_is_paired_and_another_is_not() -> None:
    assert pairs(["a", "value = one", "c"], ["a", "value = two", "c"])[1] == (1, 1)
    assert pairs(["a", "wholly", "c"], ["a", "123456", "c"])[1:3] == [(1, None), (None, 1)]


def test_missing_and_made_up_lines_have_no_partner() -> None:
    assert pairs(["a", "c"], ["a", "b", "c"]) == [(0, 0), (None, 1), (1, 2)]
    assert pairs(["a", "b", "c"], ["a", "c"]) == [(0, 0), (1, None), (2, 1)]
    assert pairs([], ["a"]) == [(None, 0)]


@pytest.mark.parametrize(
    ("old", "text", "pairs"),
    [
        (["a", "", "b"], "a\n\nb\n", [0, 1, 2]),
        (["a", "", "", "b"], "a\n\nb\n", [0, 1, None, 2]),
        (["a", "", "b"], "a\n\n\nb\n", [0, 1, 3]),
        (["a", "b"], "a\n\nb\n", [0, 2]),
        (["", "a", "b"], "\na\nb\n", [None, 1, 2]),
    ],
)
def test_pairs(old: list[str], text: str, pairs: list[int | None]) -> None:
    source = TextDocument(text)
    places = [position for position, line in enumerate(old) if line]
    filled = dict(zip(places, source.filled_lines, strict=True))
    assert with_empty_lines(old, filled, source) == pairs


def test_empty_lines_around_an_omitted_line_are_paired() -> None:
    source = TextDocument("a\n\nx\n\nb\n")
    assert with_empty_lines(["a", "", "", "b"], {0: 0, 3: 4}, source) == [0, 1, 3, 4]
