"""A hunk stands where its lines are; a number decides only when it is exact."""

import pytest

from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.patch.locate_hunk import find_hunk
from maxagent.tools.result import ToolError

TEXT = """class Left:
    def run(self):
        prepare()
        work()
        finish()

class Right:
    def run(self):
        prepare()
        work()
        finish()
"""
HUNK = ["         prepare()", "-        work()", "+        play()", "         finish()"]

RIGHT = [" class Right:", "     def run(self):", "-        prepare()"]


def place(lines: list[str], line: int | None = None, end: bool = False, *context: str) -> int:
    return find_hunk(TextDocument(TEXT), lines, line, end, context).start


def test_line_number_decides_only_when_exact() -> None:
    assert place(HUNK, 9) == 8
    assert place(HUNK, 3) == 2
    for line in (8, 10, None):
        with pytest.raises(ToolError, match="2 times, at lines 3, 9"):
            place(HUNK, line)


def test_the_end_of_the_file_is_preferred() -> None:
    assert place(HUNK, None, True) == 8
    assert place(["-class Left:"], None, True) == 0


def test_the_text_after_the_head_narrows() -> None:
    assert place(HUNK, None, False, "class Right:") == 8
    assert place(HUNK, None, False, "class Left:") == 2
    assert place(HUNK, None, False, "class Right:", "def run(self):") == 8
    with pytest.raises(ToolError, match="`class Middle:`"):
        place(HUNK, None, False, "class Middle:")
    with pytest.raises(ToolError, match="not in the file below `class Right:`"):
        place(["-class Left:"], None, False, "class Right:")


@pytest.mark.parametrize(
    ("lines", "strategy", "start"),
    [
        (["-class Left:"], "simple", 0),
        (["-class Left:  "], "line_trimmed", 0),
        (["-  class Left:"], "line_trimmed", 0),
        (["-class\u00a0 Left:"], "whitespace_normalized", 0),
        ([" # gone", *RIGHT], "context_aware", 6),
        ([*RIGHT, " # gone"], "context_aware", 6),
        ([*RIGHT[:2], "         prepare()", "+        play()", " # gone"], "", None),
        ([" class Wrong:", "     def run(self):", *HUNK], "", None),
    ],
)
def test_levels(lines: list[str], strategy: str, start: int | None) -> None:
    if start is None:
        with pytest.raises(ToolError, match="the hunk is not in the file"):
            place(lines)
    else:
        placed = find_hunk(TextDocument(TEXT), lines, None, False, ())
        assert (placed.strategy, placed.start) == (strategy, start)


def test_an_inner_line_must_fit() -> None:
    with pytest.raises(ToolError, match="not there is from the hunk:\n········play"):
        place(["         prepare()", "         play()", "-        finish()"], 3)
