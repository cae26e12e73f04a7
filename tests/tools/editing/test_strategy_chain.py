"""The first strategy that finds anything decides."""

import pytest

from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import EditRequest
from maxagent.tools.editing.strategy_chain import (
    find_all,
    find_matches,
    iter_variants,
    without_entities,
    without_escapes,
    without_fence,
    without_numbers,
)


def read(way: object, old: str, new: str) -> list[tuple[str, str]]:
    return [(item.old, item.new) for item in way(EditRequest(old, new))]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("```python\na\nb\n```\n", "```python\nc\n```", ("a\nb\n", "c\n")),
        ("```\na\n```", "c\n", ("a\n", "c\n")),
        ("```\na\nb\n```", "```\na\n\n```", ("a\nb\n", "a\n\n")),
        ("~~~\na\n~~~", "", ("a\n", "")),
        ("```\na\n", "c", None),
        ("a `b` c", "d", None),
    ],
)
def test_a_fence(old: str, new: str, result: tuple[str, str] | None) -> None:
    assert read(without_fence, old, new) == ([result] if result else [])


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("    12→  a\n    13→b", "    12→  c\n    13→b", ("  a\nb", "  c\nb")),
        ("12: a\n13:\n14:   b", "12: a\n13:\n14:   c", ("a\n\n  b", "a\n\n  c")),
        ("12|a\n13|b\n", "c\nd\n", ("a\nb\n", "c\nd\n")),
        ("  12\t) -> x:\n  13\t\ty", "z", (") -> x:\n\ty", "z")),
        ("9  a\n10 b", "9  a\nnew\n10 b", (" a\nb", " a\nnew\nb")),
        ("[3] a\n[4] b", "c", ("a\nb", "c")),
        ("41→    0\n42→    1", "    0\n    7", ("    0\n    1", "    0\n    7")),
        ("81: f(\n82:   a", "if x:\n   b\nf(", ("f(\n  a", "if x:\n   b\nf(")),
        ("12: a\n14: b", "c", None),
        ("12: a\nb", "c", None),
        ("1\n2\n3", "4", None),
    ],
)
def test_line_numbers(old: str, new: str, result: tuple[str, str] | None) -> None:
    assert read(without_numbers, old, new) == ([result] if result else [])


def test_a_single_number_says_the_only_line() -> None:
    assert [
        without_number.line for without_number in without_numbers(EditRequest("  7→a", "  7→b"))
    ] == [7]
    assert [
        without_number.line for without_number in without_numbers(EditRequest("7→a\n8→b", "c"))
    ] == [None]


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("a &lt; b &amp;&amp; c", "a &gt; b", ("a < b && c", "a > b")),
        ("x&nbsp;y", "x y", ("x\u00a0y", "x y")),
        ("a &lt; b", "a < c &amp; d", ("a < b", "a < c &amp; d")),
        ("&copy=1", "x", None),
    ],
)
def test_entities(old: str, new: str, result: tuple[str, str] | None) -> None:
    assert read(without_entities, old, new) == ([result] if result else [])


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        (r"a\n\tb", r"a\n\tc", ("a\n\tb", "a\n\tc")),
        (r"say(\"a\\n\")", r"say(\"b\\n\")", ('say("a\\n")', 'say("b\\n")')),
        ("a\\nb\n", "a\\nc\n", ("a\nb\n", "a\nc\n")),
        (r"a\nb", "a\nc", ("a\nb", "a\nc")),
        ('say(\\"a\\")\nx', 'say(\\"b\\n\\")\nx', ('say("a")\nx', 'say("b\\n")\nx')),
        (r"caf\u00e9 x", r"caf\u00e9 y", ("café x", "café y")),
        (r"\u00e9 \ud83d\ude00", r"\u00e9 \uD83D\uDE01", ("é 😀", "é 😁")),
        (r"\u00e9 \ud83d", r"\u00e9 \ud83d!", ("é \\ud83d", "é \\ud83d!")),
        (r"\u00e9 \ude00\ud83d", r"x\n", ("é \\ude00\\ud83d", "x\n")),
    ],
)
def test_escapes(old: str, new: str, result: tuple[str, str]) -> None:
    assert read(without_escapes, old, new)[0] == result


def test_a_plain_request_has_no_other_reading() -> None:
    assert list(iter_variants(EditRequest("def f(x):\n    return 1", "b"))) == []


def test_a_fence_around_numbered_lines_is_read() -> None:
    ways = list(iter_variants(EditRequest("```\n1: a\n2: b\n```", "```\n1: a\n2: c\n```")))
    assert ("a\nb\n", "a\nc\n", ("code fence", "line numbers")) in [
        (way.old, way.new, way.adapted) for way in ways
    ]


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
    matches = find_matches(TextDocument(FILE), EditRequest(old, "x"))
    assert matches and (matches.strategy, len(matches.places)) == (strategy, 1)


def test_several_places_of_one_strategy_are_final() -> None:
    matches = find_matches(TextDocument("a \n  a\n"), EditRequest("    a", "b"))
    assert matches and (matches.strategy, len(matches.places)) == ("line_trimmed", 2)


def test_single_number_must_match_the_line() -> None:
    assert find_matches(TextDocument("a\nbcd\n"), EditRequest("2→bcd", "x")) is not None
    assert find_matches(TextDocument("a\nbcd\n"), EditRequest("3→bcd", "x")) is None


def test_everywhere_nothing_is_looser_than_trimmed_lines() -> None:
    assert len(find_all(TextDocument("a b\n a b \n"), EditRequest("  a b", "c")).places) == 2
    assert not find_all(TextDocument("a  b\n"), EditRequest("a b", "c")).places
    assert len(find_all(TextDocument("x\n" * 20_000), EditRequest("x", "c")).places) == 20_000


@pytest.mark.parametrize("sign", ["→", "|", "\t", ":", "]", " =>", ".", " "])
def test_a_number_without_end_is_no_number(sign: str) -> None:
    text = f"{'[' * (sign == ']')}{'9' * 5_000}{sign}a\n"
    assert isinstance(read(without_numbers, text, "b\n"), list)
