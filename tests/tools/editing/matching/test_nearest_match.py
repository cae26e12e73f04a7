"""A text that is not there is looked for by what is rare in it."""

import pytest

from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.nearest_match import find_nearest

FILE = """def first():
    return None

def second():
    value = compute()
    return None
"""


@pytest.mark.parametrize(
    ("expected", "starts"),
    [
        (["def second():", "\treturn None"], [3]),
        (["    def first():"], [0]),
        (["def third():", "    value = compute()", "    return None"], [3]),
        (["    vlaue = compute()"], [4]),
        (["df scond():"], [3]),
        (["VALUE =  COMPUTE()"], [4]),
        (["nothing at all like anything in there"], []),
        (["", "  "], []),
        ([], []),
        (["a line before", "def first():"], [0]),
    ],
)
def test_the_likeliest_place_is_found(expected: list[str], starts: list[int]) -> None:
    assert find_nearest(TextDocument(FILE), expected) == starts


def test_places_that_are_as_close_are_all_named() -> None:
    block = "def f():\n    alpha(1)\n    beta({})\n    gamma(3)\n\n\n\n\n"
    source = TextDocument(block.format("x") + block.format("y"))
    expected = ["def f():", "    alpha(1)", "    beta(z)", "    gamma(3)"]
    assert sorted(find_nearest(source, expected)) == [0, 8]


@pytest.mark.timeout(10)
def test_many_equal_or_long_lines_do_not_hang() -> None:
    find_nearest(TextDocument("}\n\n" * 50_000), ["}", "", "}"] * 200)
    find_nearest(TextDocument(("x" * 100_000 + "\n") * 100), ["y" * 100_000])
