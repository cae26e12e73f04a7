"""The change is written, not the block; where it is not clear it is refused."""

import pytest

from maxagent.tools.editing.matching.common_lines import find_shared_lines
from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import LineMatch
from maxagent.tools.editing.matching.line_edits import LineEdit
from maxagent.tools.editing.rewriting.rewrite import (
    build_new_lines,
    find_replaced_lines,
    infer_style,
    rewrite_match,
)
from maxagent.tools.result import ToolError

SOURCE = TextDocument("a1 # note\nb2\n\nd4\ne5\n")
SOURCE_LINES = TextDocument("    a  =  1\n    b = 2\n")

TEXT = "class A:\n    def f(self):\n        go()\n        stop()\n"
STEPS = ("steps of the file", "steps of the request", "deeper steps of the request", "no base")


def edits(old: list[str], new: list[str], pairs: list[int | None]) -> list[LineEdit]:
    return rewrite_match(
        SOURCE, LineMatch(old, new, 0, max(filter(None, pairs)) + 1, pairs, loose=True)
    )


def test_a_line_that_stays_is_not_written() -> None:
    assert edits(["a1", "b2", "", "d4"], ["a1", "b2", "", "x"], [0, 1, 2, 3]) == [
        LineEdit(3, 4, ["x"])
    ]


def test_made_up_line_that_stays_is_not_written() -> None:
    old, new = ["a1", "b2", "made up", "", "d4"], ["a1", "b2", "made up", "", "x"]
    assert edits(old, new, [0, 1, None, 2, 3]) == [LineEdit(3, 4, ["x"])]


def test_an_empty_line_that_was_left_out_stays() -> None:
    assert edits(["b2", "d4", "e5"], ["b2", "x", "e5"], [1, 3, 4]) == [LineEdit(3, 4, ["x"])]


@pytest.mark.parametrize(
    ("old", "new", "pairs", "reason"),
    [
        (["a1 # note", "d4"], ["a1 # note", "x"], [0, 3], "leaves out line 2 "),
        (["b2", "d4"], ["b2", "new", "d4"], [1, 3], "leaves out line 3 "),
        (["b2", "d4", "e5"], ["b2", "e5"], [1, 3, 4], "leaves out line 3 "),
        (["b2", "made up", "d4"], ["b2", "x", "d4"], [1, None, 3], "is not in the file"),
        (["b2", "made up", "d4"], ["b2", "x", "d4"], [1, None, 3], "\n     2→.*\n     3→"),
        (["b2", "", "d9"], ["b2", "", "x"], [1, 2, 3], "has it otherwise"),
        (["b2", "", "", "d4"], ["b2", "", "new", "", "d4"], [1, 2, None, 3], "more empty lines"),
        (["b3", "", "d4"], ["  b3", "", "d4"], [1, 2, 3], "has it otherwise"),
    ],
)
def test_what_is_not_clear_is_refused(
    old: list[str], new: list[str], pairs: list[int | None], reason: str
) -> None:
    with pytest.raises(ToolError, match=reason):
        edits(old, new, pairs)


def match(old: list[str], new: list[str]) -> LineMatch:
    return LineMatch(old, new, 0, len(old), range(len(old)))


def test_line_in_place_of_another_keeps_its_spelling() -> None:
    regex_match = match(["a = 1", "b = 2"], ["a = 7", "", "b = 2"])
    learned = infer_style(SOURCE_LINES, regex_match, [(1, 2)])
    assert build_new_lines(learned, range(0, 1), range(0, 2), {0: 0}) == ["    a  =  7", ""]


def test_partners_are_in_order_or_alike() -> None:
    regex_match = match(["a = 1", "b = 2"], ["new()", "a = 7"])
    assert find_replaced_lines(regex_match, range(2), range(2)) == {0: 0, 1: 1}
    assert find_replaced_lines(regex_match, range(0, 1), range(2)) == {1: 0}
    assert find_replaced_lines(match(["a"], []), range(1), range(0)) == {}


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        (["def f(self):", "    go()"], ["def f(self):", "    run()"], False),
        (["def f(self):", "    go()"], ["    def f(self):", "        run()"], True),
        (["    def f(self):", "        go()"], ["    def g(self):", "        go()"], True),
        (["def f(self):"], ["    def g(self):"], True),
        (["def f(self):"], ["if x:", "    def f(self):"], False),
        (["    def f(self):", "      go()"], ["    def f(self):", "        run()"], True),
        (["    def f(self):", "      go()"], ["    def f(self):", "      run()"], False),
        (
            ["    def f(self):", "      go()"],
            ["    def f(self):", "      if x:", "        y()"],
            False,
        ),
        (["def f(self):", "  go()"], ["def f(self):", "    run()"], False),
    ],
    ids=["as asked", "as in the file", "same", "replaced", "wrapped", *STEPS],
)
def test_depth_of_the_new_lines(old: list[str], new: list[str], kept: bool) -> None:
    match = LineMatch(old, new, 1, 1 + len(old), range(1, 1 + len(old)))
    learned = infer_style(TextDocument(TEXT), match, find_shared_lines(old, new))
    assert learned.depths.kept == kept
    assert learned.get_line(0) == "    def f(self):"
