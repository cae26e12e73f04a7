"""Lines are paired so that as few as possible differ."""

from maxagent.tools.editing.matching.alignment import align_lines
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
