"""Keys forget blanks and typography, and nothing else."""

import pytest

from maxagent.tools.editing.matching.normalization import (
    collapsed,
    columns,
    folded,
    indent_of,
    one_to_one,
    plain,
    right_trimmed,
    trimmed,
)


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        (right_trimmed, "  a \t", "  a"),
        (trimmed, "\t a  ", "a"),
        (collapsed, "a  =\t1", "a = 1"),
        (collapsed, "a\u00a0b", "a b"),
        (folded, "say(\u201chi\u201d)", 'say("hi")'),
        (folded, "it\u2019s a \u2013 b", "it's a - b"),
        (folded, "caf\u0065\u0301", "caf\u00e9"),
        (folded, "wait\u2026", "wait..."),
    ],
)
def test_these_are_the_same(key: object, one: str, other: str) -> None:
    assert key(one) == key(other)  # type: ignore[operator]


@pytest.mark.parametrize("key", [right_trimmed, trimmed, collapsed, folded])
@pytest.mark.parametrize(
    ("one", "other"), [("return value", "returnvalue"), ("TIMEOUT", "timeout"), ("a - b", "a-b")]
)
def test_these_never_are(key: object, one: str, other: str) -> None:
    assert key(one) != key(other)  # type: ignore[operator]


def test_each_letter_stays_where_it_was() -> None:
    text = "\u201ca\u201d\u00a0\u2014 \u2026\u200b"
    assert one_to_one(text) == '"a" - \u2026\u200b'
    assert plain(text) == '"a" - ...'


def test_indentation_has_columns() -> None:
    assert indent_of("\t  a b") == "\t  "
    assert columns("\t  ") == 6
