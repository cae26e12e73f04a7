"""A text file is shown as it is, up to what fits, and the answer says what is missing."""

import os
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.read_file import read_file
from maxagent.tools.definition import extract_paths, get_effect
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import MAX_ANSWER_BYTES, invoke, render_for_model
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("one\n\ttwo\n\nfour\n")
    return ToolRun(workspace=Workspace(root), call_id="c", outputs=tmp_path / "outputs")


async def read(run: ToolRun, path: str, **args: object) -> CallResult:
    return await invoke(read_file, {"path": path, **args}, run)


def put(run: ToolRun, name: str, data: bytes) -> None:
    (run.workspace.root / name).write_bytes(data)


async def test_lines_have_numbers_and_hash_covers_file(run: ToolRun) -> None:
    result = await read(run, "./src/../src/a.py", start_line=2, end_line=2)
    assert result.output == "     2→\ttwo\n[lines 2 to 2 of 4]"
    assert result.seen == {"src/a.py": hash_content(b"one\n\ttwo\n\nfour\n")}
    assert result.metadata == {"path": "src/a.py"}


@pytest.mark.parametrize(
    ("args", "output"),
    [
        ({}, "     1→one\n     2→\ttwo\n     3→\n     4→four"),
        ({"start_line": 4}, "     4→four\n[lines 4 to 4 of 4]"),
        ({"end_line": 1}, "     1→one\n[lines 1 to 1 of 4]"),
        ({"start_line": 3, "end_line": 99}, "     3→\n     4→four\n[lines 3 to 4 of 4]"),
        ({"start_line": "2", "end_line": "2"}, "     2→\ttwo\n[lines 2 to 2 of 4]"),
    ],
)
async def test_a_part_is_shown(run: ToolRun, args: dict[str, object], output: str) -> None:
    assert (await read(run, "src/a.py", **args)).output == output


async def test_long_file_is_cut_with_next_line(run: ToolRun) -> None:
    put(run, "long", b"line\n" * 2500)
    lines = (await read(run, "long")).output.split("\n")
    assert len(lines) == 2001
    assert lines[-1] == "[lines 1 to 2000 of 2500; go on with start_line=2001]"
    assert (await read(run, "long", start_line=2001)).output.startswith("  2001→line")


@pytest.mark.parametrize("line", [b"x" * 199, "汉".encode() * 66, b"\xff" * 1000])
async def test_whatever_is_shown_fits_into_one_answer(run: ToolRun, line: bytes) -> None:
    put(run, "wide", "初".encode() * 2000 + (line + b"\n") * 2000)
    result = await read(run, "wide")
    assert "go on with start_line=" in result.output
    assert render_for_model(result) == result.output
    assert MAX_ANSWER_BYTES // 2 < len(result.output.encode()) < MAX_ANSWER_BYTES


async def test_a_very_long_line_is_cut(run: ToolRun) -> None:
    put(run, "line", b"x" * 1_000_000)
    output = (await read(run, "line")).output
    assert "x… [998,000 more characters]\n[lines are cut at 2,000 characters; `grep`" in output
    assert len(output) < 2_200


async def test_an_empty_file_says_so(run: ToolRun) -> None:
    put(run, "empty", b"")
    result = await read(run, "empty")
    assert (result.output, result.seen) == ("[the file is empty]", {"empty": hash_content(b"")})


@pytest.mark.parametrize(
    ("data", "remark"),
    [
        ("配置文件\n".encode("gbk"), "[encoding, by the bytes: gbk or gb18030; it is kept when"),
        (
            "\ufeff配置文件\n".encode("utf-16-le"),
            "[encoding, by the bytes: utf-16-le; it is kept when",
        ),
        ("配置文件\n".encode("utf-8-sig"), ""),
        ("配置文件\r\n".encode(), ""),
        ("配置文件\n".encode() + b"\xff\n", "[bytes that are not UTF-8 are shown as \\x and"),
    ],
)
async def test_the_encoding_is_found_and_named(run: ToolRun, data: bytes, remark: str) -> None:
    put(run, "file", data)
    first, *remainder = (await read(run, "file")).output.split("\n")
    assert first == "     1→配置文件"
    assert "".join(remainder).endswith(remark) or remark in "".join(remainder)


@pytest.mark.parametrize(
    ("path", "args", "reason"),
    [
        ("src", {}, "`src` is a folder; `list_files`"),
        ("src/b.py", {}, "does not exist; did you mean `src/a.py`"),
        ("src/a.py", {"start_line": 5}, "has only 4 lines"),
        ("src/a.py", {"start_line": 0}, "lines count from 1"),
        ("src/a.py", {"start_line": 3, "end_line": 2}, "lines count from 1"),
        ("src/a.py", {"end_line": -1}, "lines count from 1"),
        ("src/a.py", {"end_line": 0}, "lines count from 1"),
        ("src/a.py", {"start_line": 0}, "lines count from 1"),
        ("src/a.py", {"start_line": 0, "end_line": 0}, "lines count from 1"),
        ("binary", {}, "binary"),
        ("pipe", {}, "not a regular file"),
        ("dangling", {}, "does not exist"),
        (".env", {}, "ignore patterns"),
        (".ENV", {}, "ignore patterns"),
        ("harmless.txt", {}, "ignore patterns"),
        ("secrets/x", {}, "ignore patterns"),
        ("out", {}, "outside the project"),
        ("hop", {}, "outside the project"),
        ("../outside", {}, "outside the project"),
        ("/etc/passwd", {}, "outside the project"),
        ("a\0b", {}, "no file name"),
    ],
)
async def test_what_is_refused(
    run: ToolRun, path: str, args: dict[str, object], reason: str
) -> None:
    root = run.workspace.root
    put(run, "binary", b"\x7fELF\0hunter2")
    put(run, ".env", b"KEY=hunter2\n")
    (root / "../outside").write_text("hunter2")
    os.mkfifo(root / "pipe")
    (root / "dangling").symlink_to("nowhere")
    (root / "harmless.txt").symlink_to(".env")
    (root / "out").symlink_to("../outside")
    (root / "hop").symlink_to("out")
    result = await read(run, path, **args)
    assert reason in result.error and not result.seen
    assert "hunter2" not in result.error + result.output


@pytest.mark.parametrize("name", [".env.example", "secrets.py", "-rf", "two\nlines", "文 件.txt"])
async def test_hard_and_innocent_names_are_read(run: ToolRun, name: str) -> None:
    put(run, name, b"fine\n")
    result = await read(run, name)
    assert (result.output, list(result.seen)) == ("     1→fine", [name])


async def test_link_inside_shows_target_under_real_name(run: ToolRun) -> None:
    (run.workspace.root / "link").symlink_to("src/a.py")
    result = await read(run, "link", end_line=1)
    assert list(result.seen) == ["src/a.py"] and result.output.startswith("     1→one")


def test_it_only_looks() -> None:
    assert (get_effect(read_file), extract_paths(read_file, {"path": "x"})) == ("read", ["x"])
