"""Blocks change whole lines of one file: all of them, or nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.replace_in_file import replace_in_file
from maxagent.tools.definition import extract_paths, get_effect
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    (tmp_path / "project").mkdir()
    return ToolRun(Workspace(tmp_path / "project"), "c", tmp_path / "outputs")


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


async def applied(
    run: ToolRun, before: str | None, diff: str, *, seen: str | None = ""
) -> tuple[CallResult, str | None]:
    """The result and the file after; the thread has read the file, or another text, or none."""
    path = run.workspace.root / "a"
    if before is not None:
        path.write_bytes(before.encode())
    existing = before if seen == "" else seen
    if existing is not None:
        run = replace(run, seen={"a": hash_content(existing.encode())})
    result = await invoke(replace_in_file, {"path": "a", "diff": diff}, run)
    return result, path.read_bytes().decode() if path.exists() else None


@pytest.mark.parametrize(
    ("before", "diff", "after"),
    [
        ("a\nb\nc\n", block("b\n", "B\n"), "a\nB\nc\n"),
        ("a\nb\nc\n", block("b\n", ""), "a\nc\n"),
        ("a\r\nb\r\n", block("b\n", "B\nC\n"), "a\r\nB\r\nC\r\n"),
        ("a\nb", block("b\n", "B\n"), "a\nB"),
        ("a\nb\nc\n", block("c\n", "C\n") + block("a\n", "A\n"), "A\nb\nC\n"),
        ("a\nb\n", block("a\n", "x\n") + block("x\nb\n", "y\n"), "y\n"),
        ("max = 1\nx = 1\n", block("x = 1\n", "x = 2\n"), "max = 1\nx = 2\n"),
        (None, block("", "a\nb\n"), "a\nb\n"),
        ("", block("", "a\n"), "a\n"),
        (None, block("\n", "a\n"), "a\n"),
        (None, block("", "a\nb\n") + block("b\n", "c\n"), "a\nc\n"),
        ("Title\n\nold\n", block("Title\n", "Title\n=======\n"), "Title\n=======\n\nold\n"),
        ("T\n=====\nold\n", block("T\n=====\nold\n", "T\n=====\nnew\n"), "T\n=====\nnew\n"),
        ("x\r\n=======\r\ny\r\nx\r\n", block("x\n=======\ny\n", "z\n"), "z\r\nx\r\n"),
        ("x\n=======\ny\n", block("x\n\\=======\n", "z\n"), "z\ny\n"),
        ("x\n", block("x\n", "\\=======\n"), "=======\n"),
        ("x\n=======\ny\nx\n", block("x\n=======\ny\n", "z\n"), "z\nx\n"),
    ],
)
async def test_blocks_change_what_they_show(
    run: ToolRun, before: str | None, diff: str, after: str
) -> None:
    result, text = await applied(run, before, diff)
    assert (result.error, text) == ("", after)
    assert result.metadata["paths"] == ["a"]
    assert result.seen == {"a": hash_content(after.encode())}


@pytest.mark.parametrize(
    ("before", "diff", "output"),
    [
        (None, block("a\n", "b\n"), "`a` does not exist"),
        ("a\n", block("", "b\n"), "an empty SEARCH only creates a new file"),
        ("a\n", block("\n", "b\n"), "SEARCH is not in the file"),
        ("a\nb\n", block("a\n", "A\n") + block("zzz\n", "Z\n"), "block 2 of 2: SEARCH is not"),
        ("a\nx\na\n", block("a\n", "b\n"), "SEARCH is in the file 2 times, at lines 1, 3"),
        ("max = 1\n", block("x = 1\n", "y = 1\n"), "SEARCH is not in the file"),
        ("a\n", block("a\n", "a\n"), "the same"),
        ("a\n", block("a\n", "b\n") + block("b\n", "a\n"), "the blocks together change nothing"),
        ("x\n=======\ny\n", block("x\n=======\ny\n", "z\n"), "has several `=======`, and for 2"),
        ("a\n", "<<<<<<< SEARCH\na\n=======\nb\n", "has no `>>>>>>> REPLACE`"),
        ("a\0", block("a\n", "b\n"), "binary"),
    ],
)
async def test_a_refusal_changes_nothing_and_says_why(
    run: ToolRun, before: str | None, diff: str, output: str
) -> None:
    result, text = await applied(run, before, diff)
    assert output in result.error and text == before
    assert "old_string" not in result.error and "replace_all" not in result.error


async def test_a_file_must_have_been_read(run: ToolRun) -> None:
    result, text = await applied(run, "a\n", block("a\n", "b\n"), seen=None)
    assert "has not been read yet" in result.error and text == "a\n"


async def test_changed_file_takes_only_exact_blocks(run: ToolRun) -> None:
    result, text = await applied(run, "  a\nb\n", block("a\n", "A\n"), seen="a\n")
    assert "`a` has changed since you read it" in result.error and text == "  a\nb\n"
    result, text = await applied(run, "  a\nb\n", block("b\n", "B\n"), seen="b\n")
    assert (result.ok, result.seen, text) == (True, {}, "  a\nB\n")
    assert "had changed since you read it" in result.output


async def test_what_was_adapted_is_reported(run: ToolRun) -> None:
    result, text = await applied(
        run, "def f():\n    return one\n", block("return one\n", "return two\n")
    )
    assert text == "def f():\n    return two\n"
    assert "[the block did not fit exactly; found by line_trimmed at line 2" in result.output


def test_the_path_is_named() -> None:
    assert get_effect(replace_in_file) == "edit"
    assert extract_paths(replace_in_file, {"path": "x", "diff": ""}) == ["x"]
