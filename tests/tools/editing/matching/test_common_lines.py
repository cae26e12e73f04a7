"""Lines of both texts are found whatever their depth."""

from maxagent.tools.editing.matching.common_lines import find_gaps, find_shared_lines


def test_lines_of_both_texts() -> None:
    assert find_shared_lines(["a", "b", "c"], ["a", "x", "c"]) == [(0, 0), (2, 2)]
    assert find_shared_lines(["a", "  b"], ["if x:", "  a", "    b"]) == [(0, 1), (1, 2)]


def test_brace_is_distinguished_from_another_by_its_depth() -> None:
    old = ["{", "  a", "  }", "}"]
    assert find_shared_lines(old, ["{", "  a", "}"]) == [(0, 0), (1, 1), (3, 2)]


def test_gaps_lie_between() -> None:
    assert find_gaps([(1, 0)], 3, 2) == [(range(0, 1), range(0, 0)), (range(2, 3), range(1, 2))]
    assert find_gaps([(0, 0)], 1, 1) == []


def test_many_lines_are_compared_too() -> None:
    old = [f"line {number}" for number in range(2000)]
    assert len(find_shared_lines(old, [*old[:1000], "new", *old[1000:]])) == 2000
