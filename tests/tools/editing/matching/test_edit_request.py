"""A request by lines: its last line break is none of its lines."""

import pytest

from maxagent.tools.editing.matching.edit_request import EditRequest


@pytest.mark.parametrize(
    ("old", "new", "old_lines", "new_lines"),
    [
        ("a\nb\n", "c\n", ["a", "b"], ["c"]),
        ("a\nb", "c", ["a", "b"], ["c"]),
        ("a\n", "", ["a"], []),
        ("a", "", ["a"], [""]),
        ("a\n\n", "b\n", ["a", ""], ["b"]),
        ("a\n\nb", "a\n", ["a", "", "b"], ["a", ""]),
        ("a\n\nb\n", "a\n", ["a", "", "b"], ["a"]),
        ("a\n\n", "a\n", ["a", ""], ["a"]),
        ("\nb", "", ["", "b"], [""]),
    ],
)
def test_lines(old: str, new: str, old_lines: list[str], new_lines: list[str]) -> None:
    request = EditRequest(old, new)
    assert (request.old_lines, request.new_lines) == (old_lines, new_lines)
