"""A request is read in all ways that it may be meant, and only in those."""

import pytest

from maxagent.tools.editing.matching.edit_request import EditRequest
from maxagent.tools.editing.request_variants import (
    iter_variants,
    without_entities,
    without_escapes,
    without_fence,
    without_numbers,
)


def read(way: object, old: str, new: str) -> list[tuple[str, str]]:
    return [(one.old, one.new) for one in way(EditRequest(old, new))]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("```python\na\nb\n```\n", "```python\nc\n```", ("a\nb\n", "c\n")),
        ("```\na\n```", "c\n", ("a\n", "c\n")),
        ("```\na\nb\n```", "```\na\n\n```", ("a\nb\n", "a\n\n")),
        ("~~~\na\n~~~", "", ("a\n", "")),
        ("```\na\n", "c", None),
        ("a `b` c", "d", None),
    ],
)
def test_a_fence(old: str, new: str, found: tuple[str, str] | None) -> None:
    assert read(without_fence, old, new) == ([found] if found else [])


@pytest.mark.parametrize(
    ("old", "new", "found"),
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
def test_line_numbers(old: str, new: str, found: tuple[str, str] | None) -> None:
    assert read(without_numbers, old, new) == ([found] if found else [])


def test_a_single_number_says_the_only_line() -> None:
    assert [one.line for one in without_numbers(EditRequest("  7→a", "  7→b"))] == [7]
    assert [one.line for one in without_numbers(EditRequest("7→a\n8→b", "c"))] == [None]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("a &lt; b &amp;&amp; c", "a &gt; b", ("a < b && c", "a > b")),
        ("x&nbsp;y", "x y", ("x\u00a0y", "x y")),
        ("a &lt; b", "a < c &amp; d", ("a < b", "a < c &amp; d")),
        ("&copy=1", "x", None),
    ],
)
def test_entities(old: str, new: str, found: tuple[str, str] | None) -> None:
    assert read(without_entities, old, new) == ([found] if found else [])


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (r"a\n\tb", r"a\n\tc", ("a\n\tb", "a\n\tc")),
        (r"say(\"a\\n\")", r"say(\"b\\n\")", ('say("a\\n")', 'say("b\\n")')),
        ("a\\nb\n", "a\\nc\n", ("a\nb\n", "a\nc\n")),
        (r"a\nb", "a\nc", ("a\nb", "a\nc")),
        ('say(\\"a\\")\nx', 'say(\\"b\\n\\")\nx', ('say("a")\nx', 'say("b\\n")\nx')),
        (r"caf\u00e9 x", r"caf\u00e9 y", ("café x", "café y")),
    ],
)
def test_escapes(old: str, new: str, found: tuple[str, str]) -> None:
    assert read(without_escapes, old, new)[0] == found


def test_a_plain_request_has_no_other_reading() -> None:
    assert list(iter_variants(EditRequest("def f(x):\n    return 1", "b"))) == []


def test_a_fence_around_numbered_lines_is_read() -> None:
    ways = list(iter_variants(EditRequest("```\n1: a\n2: b\n```", "```\n1: a\n2: c\n```")))
    assert ("a\nb\n", "a\nc\n", ("code fence", "line numbers")) in [
        (one.old, one.new, one.adapted) for one in ways
    ]
