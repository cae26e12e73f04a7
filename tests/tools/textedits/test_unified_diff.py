"""A diff says what changed, and git can apply it."""

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxagent.tools.textedits.text_edits import TextEdit, apply_edits
from maxagent.tools.textedits.unified_diff import (
    ChangedBlock,
    build_diff,
    count_changes,
    diff_lines,
    find_anchors,
    find_blocks,
    find_changed_lines,
    shorten_diff,
)

LINES = st.lists(st.sampled_from(["", "a", "b", "--- c", "+++ d", "@@ e", "\\ f", "x\fy", "\r"]))
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


def applied(folder: Path, name: str, old: str | None, diff: str) -> str:
    """What real git makes of the old text and the diff."""
    file = folder / name
    file.unlink(missing_ok=True)
    if old is not None:
        file.write_bytes(old.encode())
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        input=diff.encode(),
        cwd=folder,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_CEILING_DIRECTORIES": str(folder.parent)},
        check=True,
    )
    return file.read_bytes().decode()


@given(TEXTS, TEXTS)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_git_applies_what_we_write(tmp_path: Path, old: str, new: str) -> None:
    diff = build_diff(old, new, "file")
    assert diff == "" if old == new else applied(tmp_path, "file", old, diff) == new


@pytest.mark.parametrize("name", ["a b", "two\nlines", 'qu"ote', "back\\slash", "文件", "-rf"])
def test_hard_names_are_written_as_git_reads_them(tmp_path: Path, name: str) -> None:
    assert applied(tmp_path, name, "a\n", build_diff("a\n", "b\n", name)) == "b\n"
    assert applied(tmp_path, name, None, build_diff(None, "b\n", name)) == "b\n"


def test_change_is_shown_with_three_lines_around() -> None:
    old = "".join(f"{number}\n" for number in range(1, 31))
    assert build_diff(old, old.replace("10\n", "ten\n"), "n") == (
        "--- a/n\n+++ b/n\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        ("a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"),
        ("a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"),
        ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
        ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
    ],
)
def test_the_end_of_the_file_is_reported(old: str, new: str, body: str) -> None:
    assert build_diff(old, new, "f") == "--- a/f\n+++ b/f\n" + body


def test_a_new_empty_file_has_a_head_only() -> None:
    assert build_diff(None, "", "f") == "--- /dev/null\n+++ b/f\n"


@given(TEXTS, TEXTS)
def test_added_and_removed_lines_are_counted(old: str, new: str) -> None:
    added, removed = count_changes(build_diff(old, new, "f"))
    lines_before, lines_after = (
        text.count("\n") + (not text.endswith("\n") and text != "") for text in (old, new)
    )
    assert lines_before + added - removed == lines_after


@given(LINES, LINES)
def test_the_changes_cover_both_texts_without_gaps(old: list[str], new: list[str]) -> None:
    number = new_place = 0
    for change in diff_lines(old, new):
        assert (change.start, change.new_start) == (number, new_place)
        same = old[change.start : change.end] == new[change.new_start : change.new_end]
        assert same is (change.kind == "equal")
        number, new_place = change.end, change.new_end
    assert (number, new_place) == (len(old), len(new))


@pytest.mark.timeout(20)
def test_long_files_with_equal_lines_do_not_hang() -> None:
    old = "".join(f"line {number}\n\n}}\n" for number in range(17_000))
    new = "".join(f"other {number}\n\n}}\n" for number in range(17_000))
    assert count_changes(build_diff(old, old.replace("line 9000\n", ""), "f")) == (0, 1)
    assert count_changes(build_diff(old, new, "f")) == (50_998, 50_998)


@pytest.mark.parametrize(
    ("number", "text"),
    [(20, "--- a\n+++ b\n-1\n+2\n"), (15, "--- a\n+++ b\n-1\n[… 1 more lines]\n")],
)
def test_long_diff_is_cut_at_line_with_note(number: int, text: str) -> None:
    assert shorten_diff("--- a\n+++ b\n-1\n+2\n", number) == text


@given(
    st.lists(st.integers(0, 3_000), min_size=600, max_size=700),
    st.lists(st.tuples(st.integers(0, 600), st.integers(0, 5)), max_size=20),
)
@settings(max_examples=20, deadline=None)
def test_long_split_texts_are_diffed_correctly(
    numbers: list[int], edits: list[tuple[int, int]]
) -> None:
    old = [f"{number}\n" for number in numbers]
    new = list(old)
    for location, size in edits:
        new[location : location + size] = ["new\n"] * (5 - size)
    made: list[str] = []
    for change in diff_lines(old, new):
        lines = old[change.start : change.end]
        assert change.kind != "equal" or lines == new[change.new_start : change.new_end]
        made += lines if change.kind == "equal" else new[change.new_start : change.new_end]
    assert made == new


def test_alternating_changes_in_long_text_are_fast() -> None:
    old = [f"line {number}\n" for number in range(40_000)]
    new = [line if number % 2 else "x" + line for number, line in enumerate(old)]
    process_time = time.process_time()
    assert len(diff_lines(old, new)) == 40_000
    assert time.process_time() - process_time < 5


LETTERS = st.lists(st.sampled_from("abcdefgh"), max_size=10)


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abc", "axc", [(0, 0), (2, 2)]),
        ("aab", "aab", [(2, 2)]),
        ("abc", "bca", [(1, 0), (2, 1)]),
        ("abc", "xyz", []),
        ("", "a", []),
    ],
)
def test_lines_that_both_have_once_are_found(
    old: str, new: str, result: list[tuple[int, int]]
) -> None:
    assert find_anchors(list(old), list(new)) == result


@given(LETTERS, LETTERS)
def test_anchors_are_equal_lines_and_ascend(old: list[str], new: list[str]) -> None:
    anchors = find_anchors(old, new)
    assert all(old[at] == new[new_at] for at, new_at in anchors)
    assert all(a < c and b < d for (a, b), (c, d) in zip(anchors, anchors[1:], strict=False))


OLD = "a\nb\nc\nd\n"


@pytest.mark.parametrize(
    ("text_edits", "changed_blocks"),
    [
        ([TextEdit(2, 3, "B")], [ChangedBlock(1, 2, 1, 2)]),
        ([TextEdit(2, 3, "B\nx")], [ChangedBlock(1, 2, 1, 3)]),
        ([TextEdit(0, 1, "A"), TextEdit(1, 2, "")], [ChangedBlock(0, 2, 0, 1)]),
        (
            [TextEdit(0, 1, "A"), TextEdit(6, 7, "x\nD")],
            [ChangedBlock(0, 1, 0, 1), ChangedBlock(3, 4, 3, 5)],
        ),
        ([], []),
    ],
)
def test_blocks_are_whole_lines(
    text_edits: list[TextEdit], changed_blocks: list[ChangedBlock]
) -> None:
    assert find_blocks(OLD, text_edits) == changed_blocks


@given(st.text("ab\n", max_size=30), st.data())
def test_diff_from_edits_turns_old_text_into_new(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    text_edits = [
        TextEdit(start, stop, data.draw(st.text("ab\n", max_size=5)))
        for start, stop in zip(places[::2], places[1::2], strict=False)
    ]
    new = apply_edits(text, text_edits)
    before, after = text.splitlines(keepends=True), new.splitlines(keepends=True)
    made, done = list[str](), 0
    for change in find_changed_lines(text, new, text_edits):
        made += [*before[done : change.start], *after[change.new_start : change.new_end]]
        done = change.end
    assert [*made, *before[done:]] == after
    assert (build_diff(text, new, "a", text_edits) == "") == (text == new)


def test_many_changes_in_long_file_are_fast() -> None:
    old = "".join(f"line {number}\n\n" for number in range(50_000))
    parts = list[TextEdit]()
    for number in range(0, 50_000, 2):
        at = old.index(f"line {number}\n", parts[-1].end if parts else 0)
        parts.append(TextEdit(at, at + 4, "LINE"))
    process_time = time.process_time()
    diff = build_diff(old, apply_edits(old, parts), "a", parts)
    assert count_changes(diff) == (25_000, 25_000)
    assert time.process_time() - process_time < 5
