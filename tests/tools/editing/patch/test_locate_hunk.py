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


# the second block is meant: one of its lines is misremembered, and the first block lacks only the
# outer line
TWINS = [
    (
        "a = load('left')\nif a:\n    go(a)\n    stop(a)\nend(a)\n\n"
        "a = load('right')\nif a:\n    go(a)  # slow\n    stop(a)\nend(a)\n",
        [" a = load('right')", " if a:", "     go(a)", "+    wait(a)", "     stop(a)", " end(a)"],
    ),
    (
        "f(1, [x for x in y])\nfor case in cases:\n    msg = case\n    run(msg)\n    log(msg)\n\n"
        "f(1, {x for x in y})\nfor case in cases:\n    msg = case\n"
        "    run(msg)\n    log(msg)  # x\n",
        [
            " f(1, {x for x in y})",
            "+new()",
            " for case in cases:",
            "     msg = case",
            "     run(msg)",
            "     log(msg)",
        ],
    ),
    (
        "begin(a)\nx = one(a)\ny = two(a)\nz = three(a)\nreturn left(a)\n\n"
        "begin(a)\nx = one(a)\ny = two(a)  # twice\nz = three(a)\nreturn right(a)\n",
        [" begin(a)", " x = one(a)", "-y = two(a)", "+y = 2", " z = three(a)", " return right(a)"],
    ),
    (
        "test('adds', () => {\n  const c = cart();\n  c.add(1);\n  expect(c).toBe(1);\n});\n\n"
        "test('removes', () => {\n  const c = cart(); // full\n  c.add(1);\n"
        "  expect(c).toBe(1);\n});\n",
        [
            " test('removes', () => {",
            "   const c = cart();",
            "+  c.fill();",
            "   c.add(1);",
            "   expect(c).toBe(1);",
            " });",
        ],
    ),
    (
        "- name: build\n  runs-on: linux\n  steps:\n    - make\n    - test\n"
        "- name: deploy\n  runs-on: linux # big\n  steps:\n    - make\n    - test\n",
        [
            " - name: deploy",
            "   runs-on: linux",
            "   steps:",
            "-    - make",
            "+    - make all",
            "     - test",
        ],
    ),
]


@pytest.mark.parametrize(("text", "hunk"), TWINS)
def test_block_that_lacks_outer_line_is_not_taken(text: str, hunk: list[str]) -> None:
    source = TextDocument(text)
    second = len(source.lines) // 2
    try:
        result = find_hunk(source, hunk, None, False, ())
    except ToolError:
        return
    assert result.start >= second
