"""A slip of memory is told from another block."""

import pytest

from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import EditRequest
from maxagent.tools.editing.rewriting.fuzzy_block import TooManyBlocksError, find_similar_blocks

BLOCK = """def open(self, user):
    # look the user up before all else
    record = self.store.find(user)
    if record is None:
        raise UnknownUser(user)
    token = self.sign(record, days=30)
    return token
"""
FILE = f"start()\n{BLOCK}end()\n"


def found(old: str, text: str = FILE) -> list[int]:
    request = EditRequest(old, old.replace("return token", "return token.value"))
    return [match.start for match in find_similar_blocks(TextDocument(text), request)]


@pytest.mark.parametrize(
    ("was", "remembered"),
    [
        ("# look the user up before all else", "# find the user before all else"),
        ("record = self.store.find", "recrod = self.store.find"),
        ("    # look the user up before all else\n", ""),
        ("    token", "    self.check(user)\n    token"),
        ("    # look", "    # LOOK"),
    ],
)
def test_one_bad_line_is_a_slip(was: str, remembered: str) -> None:
    assert found(BLOCK.replace(was, remembered)) == [1]


@pytest.mark.parametrize(
    ("was", "remembered"),
    [
        ("days=30", "days=90"),
        ("record is None", "record is not None"),
        ("def open", "def close"),
        ("    return token", "    return value"),
        ("    record = self.store.find(user)\n    if record is None:\n", ""),
        ("raise UnknownUser(user)", "pass"),
    ],
    ids=["number", "negation", "first line", "last line", "two lines", "unlike"],
)
def test_another_block_is_none(was: str, remembered: str) -> None:
    assert found(BLOCK.replace(was, remembered)) == []


def test_two_blocks_that_are_alike_are_both_given() -> None:
    other = BLOCK.replace("look the user", "seek the user")
    expected = BLOCK.replace("look the user", "find the user")
    assert sorted(found(expected, BLOCK + other)) == [0, 7]


def test_a_line_of_another_place_is_no_slip() -> None:
    text = FILE + "    record = self.store.load(user)\n"
    assert found(BLOCK.replace("store.find", "store.load"), text) == []


def test_braces_are_not_enough() -> None:
    text = "{\n  int alpha = one;\n}\n" * 3
    assert found("{\n  int beta = two;\n}\n", text) == []


def test_a_table_of_equal_lines_is_too_many() -> None:
    with pytest.raises(TooManyBlocksError):
        found("  {1, 2},\n  {1, 3},\n  {1, 2},\n", "  {1, 2},\n" * 2000)


def test_short_requests_have_no_slips_but_misspellings() -> None:
    text = "alpha_one()\nvalue = user.name\nomega_two()\n"
    assert found("alpha_one()\nvalue = user.nme\nomega_two()\n", text) == [0]
    assert found("alpha_one()\nvalue = item.name\nomega_two()\n", text) == []
