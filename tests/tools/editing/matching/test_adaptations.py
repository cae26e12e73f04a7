"""What was adapted is said in words."""

import pytest

from maxagent.tools.editing.matching.adaptations import describe_adaptations
from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_request import LineMatch


@pytest.mark.parametrize(
    ("old", "real", "names"),
    [
        ("a", "a", ()),
        ("a ", "a", ("blanks at the ends of lines",)),
        ("  a", "a", ("indentation",)),
        ("a  b", "a b", ("blanks within lines",)),
        ("\u201ca\u201d", '"a"', ("quotes, dashes or odd blanks",)),
        ("one", "two", ("line 1, which is otherwise in the file",)),
        ("", " ", ("blanks at the ends of lines",)),
    ],
)
def test_a_line(old: str, real: str, names: tuple[str, ...]) -> None:
    assert (
        describe_adaptations(TextDocument(f"{real}\n"), [LineMatch([old], [], 0, 1, [0])]) == names
    )


def test_lines_without_partners() -> None:
    match = LineMatch(["a", "made up", "", "d"], [], 0, 4, [0, None, None, 3])
    assert describe_adaptations(TextDocument("a\nb\n\nd\n"), [match]) == (
        "a line that is not in the file",
        "empty lines",
        "line 2, which was left out",
    )
