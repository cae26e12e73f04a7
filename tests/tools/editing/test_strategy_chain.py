"""The first strategy that finds anything decides."""

import pytest

from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import EditRequest
from maxagent.tools.editing.strategy_chain import find_all, find_matches

FILE = """class A:
    def f(self, x):
        # add it up
        total = x  +  1
        if total > 3:
            return total
        return "none"

    def g(self):
        pass
"""
BLOCK = FILE[FILE.index("    def f") : FILE.index("\n    def g")]


@pytest.mark.parametrize(
    ("old", "strategy"),
    [
        ("total = x", "simple"),
        ("def f(self, x):\n# add it up\n", "line_trimmed"),
        ("total = x + 1\nif total > 3:\n", "whitespace_normalized"),
        ("return \u201cnone\u201d", "whitespace_normalized"),
        ('return "none"\ndef g(self):\n', "whitespace_normalized"),
        (r"return \"none\"\n", "escape_normalized"),
        ("3→        # add it up\n4→        total = x  +  1", "escape_normalized"),
        ("```\ntotal = x  +  1\n```", "escape_normalized"),
        ("if total &gt; 3:", "escape_normalized"),
        ("\n# add it up\n", "trimmed_boundary"),
        ("(self,  x)", "trimmed_boundary"),
        (BLOCK.replace("add it up", "add it upp"), "block_anchor"),
        (BLOCK.replace("        # add it up\n", ""), "context_aware"),
        (BLOCK.replace("        if", "        # made up\n        if"), "context_aware"),
    ],
)
def test_the_strategy(old: str, strategy: str) -> None:
    found = find_matches(TextDocument(FILE), EditRequest(old, "x"))
    assert found and (found.strategy, len(found.places)) == (strategy, 1)


def test_several_places_of_one_strategy_are_final() -> None:
    found = find_matches(TextDocument("a \n  a\n"), EditRequest("    a", "b"))
    assert found and (found.strategy, len(found.places)) == ("line_trimmed", 2)


def test_single_number_must_match_the_line() -> None:
    assert find_matches(TextDocument("a\nbcd\n"), EditRequest("2→bcd", "x")) is not None
    assert find_matches(TextDocument("a\nbcd\n"), EditRequest("3→bcd", "x")) is None


def test_everywhere_nothing_is_looser_than_trimmed_lines() -> None:
    assert len(find_all(TextDocument("a b\n a b \n"), EditRequest("  a b", "c")).places) == 2
    assert not find_all(TextDocument("a  b\n"), EditRequest("a b", "c")).places
    assert len(find_all(TextDocument("x\n" * 20_000), EditRequest("x", "c")).places) == 20_000
