"""Keys forget blanks and typography, and nothing else."""

import pytest

from maxagent.tools.editing.matching.normalization import (
    collapse_blanks,
    indent_of,
    measure_indent,
    normalize_line,
    simplify_in_place,
    simplify_typography,
    strip_line,
    strip_line_end,
)


@pytest.mark.parametrize(
    ("key", "text", "other"),
    [
        (strip_line_end, "  a \t", "  a"),
        (strip_line, "\t a  ", "a"),
        (collapse_blanks, "a  =\t1", "a = 1"),
        (collapse_blanks, "a\u00a0b", "a b"),
        (normalize_line, "say(\u201chi\u201d)", 'say("hi")'),
        (normalize_line, "it\u2019s a \u2013 b", "it's a - b"),
        (normalize_line, "caf\u0065\u0301", "caf\u00e9"),
        (normalize_line, "wait\u2026", "wait..."),
    ],
)
def test_these_are_the_same(key: object, text: str, other: str) -> None:
    assert key(text) == key(other)  # type: ignore[operator]


@pytest.mark.parametrize("key", [strip_line_end, strip_line, collapse_blanks, normalize_line])
@pytest.mark.parametrize(
    ("text", "other"), [("return value", "returnvalue"), ("TIMEOUT", "timeout"), ("a - b", "a-b")]
)
def test_these_never_are(key: object, text: str, other: str) -> None:
    assert key(text) != key(other)  # type: ignore[operator]


def test_each_letter_stays_where_it_was() -> None:
    text = "\u201ca\u201d\u00a0\u2014 \u2026\u200b"
    assert simplify_in_place(text) == '"a" - \u2026\u200b'
    assert simplify_typography(text) == '"a" - ...'


def test_indentation_has_columns() -> None:
    assert indent_of("\t  a b") == "\t  "
    assert measure_indent("\t  ") == 6
