"""The measures that `make house` prints."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from house import (
    Measure,
    count_comments,
    find_circles,
    list_measures,
    measure_first_turn,
    one_word_share,
    verb_share,
)

NAMES = ["read_file", "_find_all", "told", "__init__", "line_of"]


def test_a_name_counts_by_its_first_word() -> None:
    assert verb_share(NAMES) == 2 / 4
    assert one_word_share(NAMES) == 1 / 4


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("x = 1  # bytes\n", 1),
        ("# why\n# so\nx = 1\n", 2),
        ("x = '# no comment'\n", 0),
        ("x = 1  # pyright: ignore\n", 0),
    ],
)
def test_comments_are_counted_without_pragmas(source: str, count: int) -> None:
    assert count_comments(source) == count


def test_circles_are_found_largest_first() -> None:
    arrows = {"a": "b", "b": "a", "c": "de", "d": "e", "e": "c", "f": "a"}
    places = {Path(name): [*map(Path, targets)] for name, targets in arrows.items()}
    assert find_circles(places) == [(Path("c"), Path("d"), Path("e")), (Path("a"), Path("b"))]


@pytest.fixture(scope="module")
def measures() -> Sequence[Measure]:
    return list_measures()


def test_every_measure_meets_its_aim(measures: Sequence[Measure]) -> None:
    assert [measure for measure in measures if not measure.holds] == []


def test_first_model_turn_is_counted_with_its_aim(measures: Sequence[Measure]) -> None:
    measure = measure_first_turn()
    assert 50 < measure.value < measures[0].value and measure.holds


def test_a_measure_beyond_its_aim_does_not_hold() -> None:
    assert Measure("lines", 5, 1, 9).holds
    assert not Measure("lines", 0, 1, 9).holds and not Measure("lines", 10, 1, 9).holds
    assert Measure("lines", 5, 1, 9).aim == "at least 1, at most 9"
