"""All hunks of a file are applied to what the patch was made for, or none."""

import tracemalloc

import pytest

from maxagent.tools.editing.patch.apply_hunk import Hunk
from maxagent.tools.editing.patch.apply_hunks import change_hunks
from maxagent.tools.result import ToolRefusal
from maxagent.tools.textedits.text_edits import put

TEXT = "a\nb\nc\nd\ne\nf\n"


def hunk(*lines: str) -> Hunk:
    return Hunk(lines)


def applied(text: str, *hunks: Hunk) -> str:
    return put(text, change_hunks(text, hunks).pieces)


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
    with pytest.raises(ToolRefusal, match="^hunk 2 of 2: "):
        change_hunks(TEXT, [hunk("-b", "+B"), hunk("-zzz", "+Z")])


def test_two_hunks_cannot_change_the_same_line() -> None:
    with pytest.raises(ToolRefusal, match="hunk 2 of 2: it changes lines that an earlier hunk"):
        change_hunks(TEXT, [hunk("-b", "+B"), hunk("-b", "+C")])


def test_in_a_file_that_changed_only_exact_hunks_apply() -> None:
    text = "def f():\n    return one\n"
    loose = hunk("-  return one", "+  return two")
    assert applied(text, loose) == "def f():\n    return two\n"
    with pytest.raises(ToolRefusal, match="not there exactly"):
        change_hunks(text, [loose], exact=True)


def test_many_hunks_of_a_long_text_do_not_keep_it_once_for_each() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    hunks = [hunk(f"-line {number}", f"+LINE {number}") for number in range(0, 20_000, 200)]
    tracemalloc.start()
    try:
        done = change_hunks(text, hunks)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert put(text, done.pieces).count("LINE") == len(hunks)
    assert kept < 20 * len(text) and most < 50 * len(text)
