"""New lines are written at the file's depth and in its spelling."""

from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import LineMatch
from maxagent.tools.editing.rewriting.replacement_lines import build_new_lines, find_replaced_lines
from maxagent.tools.editing.rewriting.style_inference import infer_style

SOURCE = TextDocument("    a  =  1\n    b = 2\n")


def match(old: list[str], new: list[str]) -> LineMatch:
    return LineMatch(old, new, 0, len(old), range(len(old)))


def test_line_in_place_of_another_keeps_its_spelling() -> None:
    regex_match = match(["a = 1", "b = 2"], ["a = 7", "", "b = 2"])
    learned = infer_style(SOURCE, regex_match, [(1, 2)])
    assert build_new_lines(learned, range(0, 1), range(0, 2), {0: 0}) == ["    a  =  7", ""]


def test_partners_are_in_order_or_alike() -> None:
    regex_match = match(["a = 1", "b = 2"], ["new()", "a = 7"])
    assert find_replaced_lines(regex_match, range(2), range(2)) == {0: 0, 1: 1}
    assert find_replaced_lines(regex_match, range(0, 1), range(2)) == {1: 0}
    assert find_replaced_lines(match(["a"], []), range(1), range(0)) == {}
