"""Blocks change whole lines of one file: all of them, or nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.tools.builtin.files.replace_in_file import SearchBlock, parse_blocks, replace_in_file
from maxagent.tools.definition import extract_paths, get_effect
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.result import CallResult, ToolError
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

MARKERS = ["<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "------- SEARCH", "+++++++ REPLACE"]
LINES = st.one_of(st.sampled_from([*MARKERS, "```", "a", "", "  x"]), st.text(max_size=8))
PLAIN = st.lists(st.text("abc <>=+-`\t", max_size=6).map(lambda line: line.lstrip("<>=+-")))


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    "diff",
    [
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
        "<<<<<<< SEARCH  \na\n=======\t\nb\n>>>>>>> REPLACE  \n",
        "<<<<<<< SEARCH>\na\n=======\nb\n>>>>>>> REPLACE\n",
        "<<<<< SEARCH\na\n=====\nb\n>>>>> REPLACE",
        "<<<<<<<<< SEARCH\na\n=========\nb\n>>>>>>>>> REPLACE",
        "------- SEARCH\na\n=======\nb\n+++++++ REPLACE",
        "```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n",
        "Here it is, in a.py:\n\n```diff\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```",
        "<<<<<<< SEARCH\r\na\r\n=======\r\nb\r\n>>>>>>> REPLACE\r\n",
        "<<<<<<< SEARCH\na\n======\nb\n>>>>>>> REPLACE",
    ],
)
def test_a_block_is_read(diff: str) -> None:
    assert [result.variants for result in parse_blocks(diff)] == [(("a\n", "b\n"),)]


def test_blocks_keep_their_order_and_their_blanks() -> None:
    diff = block("  a\n\n", "") + "\nand\n" + block("", "\tb \n")
    assert parse_blocks(diff) == [
        SearchBlock(1, (("  a\n\n", ""),)),
        SearchBlock(8, (("", "\tb \n"),)),
    ]


def test_apparent_marker_inside_a_block_is_text() -> None:
    old = "<<<<<<< HEAD\n    =======\n   <<<<<<< SEARCH\nx ======= y\n>>>>>>> branch\n"
    assert parse_blocks(block(old, "b\n"))[0].variants == ((old, "b\n"),)


def test_several_dividers_are_several_readings() -> None:
    diff = block("Title\n=======\nold\n", "Title\n=====\nnew\n")
    assert parse_blocks(diff)[0].variants == (
        ("Title\n", "old\n=======\nTitle\n=====\nnew\n"),
        ("Title\n=======\nold\n", "Title\n=====\nnew\n"),
    )


@pytest.mark.parametrize(
    "hint",
    [
        ":start_line:2\n-------\n",
        ":start_line: 2\n",
        ":start_line:[2]\n-------\n",
        ":start_line: [2]\n:end_line:2\n-------\n",
        ":start_line:[2]\n:end_line: [3]\n-------\n",
        ":start_line:2\n:end_line:[3]\n",
    ],
)
def test_numbers_of_lines_are_a_hint(hint: str) -> None:
    (search,) = parse_blocks(block(f"{hint}a\n", "b\n"))
    assert (search.variants, search.at) == ((("a\n", "b\n"),), 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\n", "=======\n"),
        ("a\n", "=======\nb\n"),
        ("a\nb\n", "=======\nc\nd\n"),
        ("", "=======\nb\n"),
        ("  x = 1\n", "=======\n  x = 2\n"),
        ("a\n", "=======  \nb\n"),
        ("a\n", "=======\n=======\n"),
    ],
)
def test_second_divider_at_once_is_no_line(old: str, new: str) -> None:
    texts = [variant for search in _try_blocks(block(old, new)) for variant in search.variants]
    assert (old, new) not in texts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Title\n", "=======\nTitle\n=======\n"),
        ("=====\n", "=======\n"),
        ("Title\n======\n", "=======\nTitle\n"),
    ],
)
def test_divider_that_is_meant_is_a_line(old: str, new: str) -> None:
    assert (old, new) in parse_blocks(block(old, new))[0].variants


@pytest.mark.parametrize(
    "new", ["b\n=======\n", "b\n=======\nc\n", "=======\nb\n=======\n", "b\n\n======= \n"]
)
def test_code_gets_no_divider(new: str) -> None:
    (search,) = parse_blocks(block("x = 1\n", new), has_titles=False)
    assert [replace for old, replace in search.variants if "=====" not in old] == []
    assert parse_blocks(block("x = 1\n=======\n", new), has_titles=False)


@pytest.mark.parametrize(
    "line",
    [
        "=======",
        "<<<<<<< SEARCH",
        "<<<<<<< HEAD",
        ">>>>>>> REPLACE",
        ">>>>>>> topic",
        "-------",
        "------- SEARCH",
        "+++++++ REPLACE",
    ],
)
def test_backslash_makes_marker_a_line(line: str) -> None:
    diff = block(f"a\n\\{line}\nb\n", f"\\{line}\nc\n")
    (search,) = parse_blocks(diff, has_titles=False)
    assert search.variants == ((f"a\n{line}\nb\n", f"{line}\nc\n"),)


@pytest.mark.parametrize("line", ["\\== a", "\\<", "\\hline", "\\=======x", "\\\\======="])
def test_other_backslashes_stay(line: str) -> None:
    assert parse_blocks(block(f"{line}\n", "a\n"))[0].variants == ((f"{line}\n", "a\n"),)


def _try_blocks(diff: str) -> list[SearchBlock]:
    try:
        return parse_blocks(diff)
    except ToolError as refusal:
        assert "several `=======`" in str(refusal)
        return []


@pytest.mark.parametrize(
    ("diff", "text"),
    [
        ("", "there is no block"),
        ("just words", "there is no block"),
        ("<<<<<<< SEARCH\na\n=======\nb\n", "line 1 of `diff` has no `>>>>>>> REPLACE`"),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE", "line 1 of `diff` has no `=======`"),
        (block("a\n", "b\n") + "=======\nb\n>>>>>>> REPLACE", "line 6 of `diff`, `=======`"),
        (block("a\n", "b\n") + ">>>>>>> REPLACE", "line 6 of `diff`, `>>>>>>> REPLACE`"),
        (
            "<<<<<<< SEARCH\na\n=======\nb\n" + block("c\n", "d\n"),
            "before the next SEARCH at line 5",
        ),
        (" <<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", "line 1 of `diff`, `<<<<<<< SEARCH`"),
        ("<<<<<<<SEARCH\na\n=======\nb\n>>>>>>> REPLACE", "line 1 of `diff`"),
        ("<<<<<<< search\na\n=======\nb\n>>>>>>> replace", "line 1 of `diff`"),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> UPDATED", "has no `>>>>>>> REPLACE`"),
    ],
)
def test_a_broken_text_is_refused_as_a_whole(diff: str, text: str) -> None:
    with pytest.raises(ToolError) as refusal:
        parse_blocks(diff)
    assert text in str(refusal.value)


@settings(deadline=None)
@given(st.lists(LINES).map("\n".join))
def test_any_text_is_read_or_refused(diff: str) -> None:
    try:
        blocks = parse_blocks(diff)
    except ToolError as refusal:
        assert str(refusal)
    else:
        assert blocks and all(result.variants for result in blocks)


@settings(deadline=None)
@given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1))
def test_what_is_written_is_what_is_read(pairs: list[tuple[list[str], list[str]]]) -> None:
    texts = [tuple("".join(f"{line}\n" for line in lines) for lines in pair) for pair in pairs]
    read = parse_blocks("".join(block(*pair) for pair in texts))
    assert [result.variants for result in read] == [(pair,) for pair in texts]


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    (tmp_path / "project").mkdir()
    return ToolRun(Workspace(tmp_path / "project"), "c", tmp_path / "outputs")


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
    assert "[the block did not fit exactly and was adapted: " in result.output


def test_the_path_is_named() -> None:
    assert get_effect(replace_in_file) == "edit"
    assert extract_paths(replace_in_file, {"path": "x", "diff": ""}) == ["x"]
