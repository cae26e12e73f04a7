"""Each strategy finds what it is for, in all places, and nothing else."""

import pytest

from maxagent.tools.editing import strategies
from maxagent.tools.editing.matching.document import Source
from maxagent.tools.editing.matching.edit_request import Request
from maxagent.tools.editing.strategies import Strategy

FILE = "def f(a):\n    return a\n\n\tx = 1;  // c\nsay(\u201chi\u201d)\n    return a\n"


@pytest.mark.parametrize(
    ("strategy", "old", "starts"),
    [
        (strategies.simple, "return", [14, 52]),
        (strategies.simple, "Return", []),
        (strategies.line_trimmed, "  return a  ", [1, 5]),
        (strategies.line_trimmed, "    return a ", [1, 5]),
        (strategies.line_trimmed, "def f(a):\nreturn a", [0]),
        (strategies.line_trimmed, "turn a", []),
        (strategies.line_trimmed, "  ", []),
        (strategies.whitespace_normalized, "x  = 1; // c", [3]),
        (strategies.whitespace_normalized, 'say("hi")', [4]),
        (strategies.whitespace_normalized, "x=1; // c", []),
        (strategies.without_empty_lines, "return a\nx = 1; // c", [1]),
        (strategies.without_empty_lines, "return a", []),
        (strategies.trimmed_boundary, "\n\nx = 1;  // c\n\n", [3]),
        (strategies.trimmed_boundary, "x = 1;  // c", []),
        (strategies.inside_a_line, "def  f(a)", [0]),
        (strategies.inside_a_line, "  x  =  1 ", []),
        (strategies.inside_a_line, '"hi" ', []),
        (strategies.inside_a_line, ' say("hi"', [38]),
        (strategies.inside_a_line, " retur ", []),
        (strategies.every, "  return a", [12, 50]),
    ],
)
def test_places(strategy: Strategy, old: str, starts: list[int]) -> None:
    assert [place.start for place in strategy(Source(FILE), Request(old, "new"))] == starts


def test_of_several_places_the_one_of_the_same_shape_is_meant() -> None:
    source = Source("if a:\n  b\n  c\nif a:\n    b\nc\n")
    found = strategies.line_trimmed(source, Request("\tif a:\n\t\tb\n\tc\n", ""))
    assert [match.start for match in found] == [0, 3]
    assert [match.start for match in strategies.indentation_flexible(source, found)] == [3]
