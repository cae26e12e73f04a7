"""New lines are written at the file's depth and in its spelling."""

from maxagent.tools.editing.matching.document import Source
from maxagent.tools.editing.matching.edit_request import Match
from maxagent.tools.editing.rewriting.replacement_lines import partners, written
from maxagent.tools.editing.rewriting.style_inference import learn_from

SOURCE = Source("    a  =  1\n    b = 2\n")


def match(old: list[str], new: list[str]) -> Match:
    return Match(old, new, 0, len(old), range(len(old)))


def test_a_line_in_place_of_another_keeps_its_spelling() -> None:
    found = match(["a = 1", "b = 2"], ["a = 7", "", "b = 2"])
    learned = learn_from(SOURCE, found, [(1, 2)])
    assert written(learned, range(0, 1), range(0, 2), {0: 0}) == ["    a  =  7", ""]


def test_partners_are_in_order_or_alike() -> None:
    found = match(["a = 1", "b = 2"], ["new()", "a = 7"])
    assert partners(found, range(2), range(2)) == {0: 0, 1: 1}
    assert partners(found, range(0, 1), range(2)) == {1: 0}
    assert partners(match(["a"], []), range(1), range(0)) == {}
