"""A change of a line is made in the line that the file has."""

import pytest

from maxagent.tools.editing.rewriting.line_merge import merge_line


@pytest.mark.parametrize(
    ("asked", "new", "real", "written"),
    [
        ("a = 1", "a = 2", "a = 1", "a = 2"),
        ("x = 1", "x = 2", "x  =  1", "x  =  2"),
        ("x  =  1", "x  =  2", "x = 1", "x = 2"),
        ('say("hi")', 'say("ho")', "say(\u201chi\u201d)", "say(\u201cho\u201d)"),
        ("wait\u2026 a", "wait\u2026 b", "wait... a", "wait... b"),
        ("cafe\u0301 = 1", "cafe\u0301 = 2", "caf\u00e9 = 1", "caf\u00e9 = 2"),
        ("a", "", "a", ""),
    ],
)
def test_what_stays_is_spelled_as_in_the_file(
    asked: str, new: str, real: str, written: str
) -> None:
    assert merge_line(asked, new, real) == written


def test_line_of_too_many_words_is_not_merged() -> None:
    assert merge_line("a " * 3000, "b", "a  " * 3000) is None
