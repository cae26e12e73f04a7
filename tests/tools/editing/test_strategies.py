"""Each strategy finds what it is for, in all places, and nothing else."""

import pytest

from maxagent.tools.editing import strategies
from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import EditRequest
from maxagent.tools.editing.strategies import Strategy

FILE = "def f(a):\n    return a\n\n\tx = 1;  // c\nsay(\u201chi\u201d)\n    return a\n"


@pytest.mark.parametrize(
    ("strategy", "old", "starts"),
    [
        (strategies.match_simple, "return", [14, 52]),
        (strategies.match_simple, "Return", []),
        (strategies.match_line_trimmed, "  return a  ", [1, 5]),
        (strategies.match_line_trimmed, "    return a ", [1, 5]),
        (strategies.match_line_trimmed, "def f(a):\nreturn a", [0]),
        (strategies.match_line_trimmed, "turn a", []),
        (strategies.match_line_trimmed, "  ", []),
        (strategies.match_whitespace_normalized, "x  = 1; // c", [3]),
        (strategies.match_whitespace_normalized, 'say("hi")', [4]),
        (strategies.match_whitespace_normalized, "x=1; // c", []),
        (strategies.match_without_empty_lines, "return a\nx = 1; // c", [1]),
        (strategies.match_without_empty_lines, "return a", []),
        (strategies.match_trimmed_boundary, "\n\nx = 1;  // c\n\n", [3]),
        (strategies.match_trimmed_boundary, "x = 1;  // c", []),
        (strategies.match_inside_line, "def  f(a)", [0]),
        (strategies.match_inside_line, "  x  =  1 ", []),
        (strategies.match_inside_line, '"hi" ', []),
        (strategies.match_inside_line, ' say("hi"', [38]),
        (strategies.match_inside_line, " retur ", []),
        (strategies.match_everywhere, "  return a", [12, 50]),
    ],
)
def test_places(strategy: Strategy, old: str, starts: list[int]) -> None:
    assert [
        location.start for location in strategy(TextDocument(FILE), EditRequest(old, "new"))
    ] == starts


def test_place_of_the_same_shape_is_chosen() -> None:
    source = TextDocument("if a:\n  b\n  c\nif a:\n    b\nc\n")
    line_trimmed = strategies.match_line_trimmed(source, EditRequest("\tif a:\n\t\tb\n\tc\n", ""))
    assert [match.start for match in line_trimmed] == [0, 3]
    assert [match.start for match in strategies.filter_by_indentation(source, line_trimmed)] == [3]
