"""All hunks of a file are applied to what the patch was made for, or none."""

import tracemalloc

import pytest

from maxagent.tools.editing.patch.apply_hunk import Hunk
from maxagent.tools.editing.patch.patch_overlay import apply_hunks
from maxagent.tools.result import ToolError
from maxagent.tools.textedits.text_edits import apply_edits

TEXT = "a\nb\nc\nd\ne\nf\n"


def hunk(*lines: str) -> Hunk:
    return Hunk(lines)


def applied(text: str, *hunks: Hunk) -> str:
    return apply_edits(text, apply_hunks(text, hunks).edits)


@pytest.mark.parametrize(
    ("hunks", "after"),
    [
        ([hunk(" a", "-b", "+B")], "a\nB\nc\nd\ne\nf\n"),
        ([hunk("-b", "+B"), hunk("-e")], "a\nB\nc\nd\nf\n"),
        ([hunk("-e"), hunk("-b", "+B", "+BB")], "a\nB\nBB\nc\nd\nf\n"),
        ([hunk(" a", "+1", " b"), hunk(" a", "-b", "+B")], "a\n1\nB\nc\nd\ne\nf\n"),
        ([hunk("-a", "-b"), hunk("-c", "+C")], "C\nd\ne\nf\n"),
        ([hunk("-b", "+B"), hunk(" B", "-c")], "a\nB\nd\ne\nf\n"),
        ([hunk(" b", "+d", " c"), hunk("-d", "+D")], "a\nb\nd\nc\nD\ne\nf\n"),
    ],
    ids=["one", "two", "order", "insertion", "touching", "on the result", "not what was written"],
)
def test_hunks_change_what_they_show(hunks: list[Hunk], after: str) -> None:
    assert applied(TEXT, *hunks) == after


def test_a_hunk_that_does_not_fit_is_named() -> None:
    with pytest.raises(ToolError, match="^hunk 2 of 2: "):
        apply_hunks(TEXT, [hunk("-b", "+B"), hunk("-zzz", "+Z")])


def test_two_hunks_cannot_change_the_same_line() -> None:
    with pytest.raises(ToolError, match="hunk 2 of 2: it changes lines that an earlier hunk"):
        apply_hunks(TEXT, [hunk("-b", "+B"), hunk("-b", "+C")])


def test_changed_file_takes_only_exact_hunks() -> None:
    text = "def f():\n    return one\n"
    loose = hunk("-  return one", "+  return two")
    assert applied(text, loose) == "def f():\n    return two\n"
    with pytest.raises(ToolError, match="does not match exactly"):
        apply_hunks(text, [loose], exact=True)


def test_many_hunks_do_not_multiply_a_long_text() -> None:
    text = "".join(f"line {number}\n" for number in range(4_000))
    hunks = [hunk(f"-line {number}", f"+LINE {number}") for number in range(0, 4_000, 40)]
    tracemalloc.start()
    try:
        done = apply_hunks(text, hunks)
        retained, limit = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert apply_edits(text, done.edits).count("LINE") == len(hunks)
    assert retained < 20 * len(text) and limit < 50 * len(text)
