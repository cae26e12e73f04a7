"""The evaluation itself sees what is wrong."""

import pytest
from growth import exponent, quantile
from project import Answer
from request import Request
from scoring import judged, names_places
from sources import Source
from true_edit import Edit, Line, is_once, unit_of

BEFORE = {"d/a.py": b"one\ntwo\nthree\n"}
TRUTH = {"d/a.py": b"one\n2\nthree\n"}


def request(*truths: dict[str, bytes]) -> Request:
    return Request(BEFORE, "edit", {}, truths)


@pytest.mark.parametrize(
    ("truths", "error", "after", "fate"),
    [
        ([TRUTH], "", TRUTH, "right"),
        ([{"d/a.py": b""}, TRUTH], "", TRUTH, "right"),
        ([TRUTH], "no", BEFORE, "refused"),
        ([TRUTH], "no", TRUTH, "WRONG"),
        ([], "no", BEFORE, "right"),
        ([], "", TRUTH, "WRONG"),
        ([], "", BEFORE, "WRONG"),
        ([TRUTH], "", BEFORE, "WRONG"),
        ([TRUTH], "", {"d/a.py": b"one\n2  \nthree\n"}, "cosmetic"),
        ([TRUTH], "", {"d/a.py": b"one\n  2\nthree\n"}, "WRONG"),
        ([TRUTH], "", {"d/a.py": b"one\n2\nthree  \n"}, "WRONG"),
        ([TRUTH], "", {"d/a.py": b"one\r\n2\nthree\n"}, "WRONG"),
        ([TRUTH], "", {"d/a.py": b"one\n2\n\nthree\n"}, "WRONG"),
        ([TRUTH], "", {"d/a.py": b"one\n2\nthree"}, "WRONG"),
        ([TRUTH], "", {**TRUTH, "d/b.py": b""}, "WRONG"),
        ([TRUTH], "", {}, "WRONG"),
    ],
)
def test_the_bytes_decide(
    truths: list[dict[str, bytes]], error: str, after: dict[str, bytes], fate: str
) -> None:
    assert judged(request(*truths), Answer(error), dict(BEFORE), dict(after)) == fate


def test_an_internal_error_is_wrong() -> None:
    answer = Answer("internal error in edit: IndexError: list index out of range")
    assert judged(request(TRUTH), answer, dict(BEFORE), dict(BEFORE)) == "WRONG"


@pytest.mark.parametrize(
    ("error", "places", "named"),
    [
        ("at line 7", [{7, 8}], True),
        ("at lines 17, 70", [{7}], False),
        ("    7→text", [{7}], True),
        ("version 1.7", [{7}], False),
        ("at lines 2, 14", [{2}, {14, 15}], True),
        ("at line 2", [{2}, {14, 15}], False),
    ],
)
def test_a_refusal_names_every_place(error: str, places: list[set[int]], named: bool) -> None:
    assert names_places(error, tuple(map(frozenset, places))) == named


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 2.0])
def test_the_exponent_is_that_of_the_growth(power: float) -> None:
    assert exponent({size: 0.001 * size**power for size in (5, 50, 500)}) == pytest.approx(power)


def test_a_quantile_of_few_times_is_the_longest() -> None:
    assert (quantile([3, 1, 2], 0.99), quantile([3, 1, 2], 0.5)) == (3, 2)


def test_an_edit_knows_what_it_means() -> None:
    edit = Edit(
        "a", "pip", tuple("abcdefg"), 1, ("b", "c", "d", "e"),
        (Line("b", 0), Line("X"), Line("d", 2), Line("e", 3)),
    )  # fmt: skip
    assert "".join(edit.after) == "abXdefg"
    assert (edit.kept, edit.replaced, edit.untouched) == ((0, 2, 3), (1,), ())
    assert edit.first_change == 2
    more = edit.with_others(0, ["n"])
    assert "".join(more.after) == "nabXdefg"


def test_block_is_unique_when_only_blanks_differ() -> None:
    source = Source("a", "pip", ("if a:", "    go(1)", "else:", "  go( 1 )"))
    assert not is_once(source.lines, ["go(1)"])
    assert is_once(source.lines, ["else:", "go(1)"])
    assert unit_of(source.lines) in ("    ", "  ")
