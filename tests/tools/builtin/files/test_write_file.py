"""A file is written whole, and none is overwritten unseen."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.definition import extract_paths, get_effect
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    root = tmp_path / "project"
    root.mkdir()
    return ToolRun(workspace=Workspace(root), call_id="c", outputs=tmp_path / "outputs")


def put(run: ToolRun, name: str, data: bytes) -> Path:
    path = run.workspace.root / name
    path.write_bytes(data)
    return path


def knowing(run: ToolRun, name: str) -> ToolRun:
    data = (run.workspace.root / name).read_bytes()
    return replace(run, seen={name: hash_content(data)})


async def write(run: ToolRun, path: str, content: str) -> CallResult:
    return await invoke(write_file, {"path": path, "content": content}, run)


@pytest.mark.parametrize("content", ["", "a\nb\n", "no end", "a\r\nb\r\n", "汉字 🙂\n"])
async def test_a_new_file_holds_exactly_the_content(run: ToolRun, content: str) -> None:
    result = await write(run, "new/folder/a.txt", content)
    data = (run.workspace.root / "new/folder/a.txt").read_bytes()
    assert data == content.encode()
    assert result.output.startswith("Created `new/folder/a.txt` (+")
    assert result.seen == {"new/folder/a.txt": hash_content(data)}
    assert result.metadata["created"] and result.metadata["path"] == "new/folder/a.txt"


async def test_a_known_file_is_replaced(run: ToolRun) -> None:
    path = put(run, "a", b"one\ntwo\n")
    result = await write(knowing(run, "a"), "a", "one\n2\n")
    assert path.read_bytes() == b"one\n2\n"
    assert result.output == "Replaced `a` (+1 -1)"
    assert result.metadata == {
        "path": "a",
        "paths": ["a"],
        "created": False,
        "added": 1,
        "removed": 1,
        "diff": "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    }
    assert result.seen == {"a": hash_content(b"one\n2\n")}


@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\nb\n", "a\r\nc\r\n", b"a\nc\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nnew\nc\n", b"a\r\nb\nnew\nc\r\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        ("配置文件\n".encode("gbk"), "配置目录\n", "配置目录\n".encode("gbk")),
        ("\ufeffa\n".encode("utf-16-be"), "b\n", "\ufeffb\n".encode("utf-16-be")),
    ],
)
async def test_encoding_and_line_endings_are_kept(
    run: ToolRun, old: bytes, content: str, new: bytes
) -> None:
    path = put(run, "a", old)
    assert (await write(knowing(run, "a"), "a", content)).ok
    assert path.read_bytes() == new


async def test_mode_and_links_are_kept(run: ToolRun) -> None:
    path = put(run, "script", b"old\n")
    path.chmod(0o755)
    (run.workspace.root / "link").symlink_to("script")
    assert (await write(knowing(run, "script"), "link", "new\n")).metadata["path"] == "script"
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new\n", 0o755)
    assert (run.workspace.root / "link").is_symlink()


async def test_an_unread_or_changed_file_is_not_overwritten(run: ToolRun) -> None:
    path = put(run, "a", b"mine\n")
    assert "`a` exists and was not read yet; `read_file` it" in (await write(run, "a", "x")).error
    existing = knowing(run, "a")
    path.write_bytes(b"changed\n")
    assert "`a` has changed since you read it" in (await write(existing, "a", "x")).error
    assert path.read_bytes() == b"changed\n"


async def test_line_that_elides_code_is_not_written(run: ToolRun) -> None:
    path = put(run, "a.js", b"one();\ntwo();\n")
    result = await write(knowing(run, "a.js"), "a.js", "zero();\n// ... existing code ...\n")
    assert "the content has `// ... existing code ...` in place of lines" in result.error
    assert path.read_bytes() == b"one();\ntwo();\n"
    put(run, "b.md", b"// ... existing code ...\n")
    assert (await write(knowing(run, "b.md"), "b.md", "x\n// ... existing code ...\n")).ok


@pytest.mark.parametrize(("old", "content"), [(b"same\r\n", "same\n"), (b"", "")])
async def test_the_very_same_content_needs_no_writing(
    run: ToolRun, old: bytes, content: str
) -> None:
    path = put(run, "a", old)
    before = path.stat().st_ino
    result = await write(run, "a", content)
    assert "nothing was changed" in result.output and path.stat().st_ino == before
    assert result.seen == {"a": hash_content(old)}


async def test_an_empty_file_may_be_filled_unread(run: ToolRun) -> None:
    path = put(run, "__init__.py", b"")
    assert (await write(run, "__init__.py", "x = 1\n")).ok
    assert path.read_bytes() == b"x = 1\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("folder", "is a folder"),
        ("folder/", "names a folder"),
        ("new/", "names a folder"),
        ("file/below", "not a directory"),
        ("pipe", "not a regular file"),
        ("loop", "leads to nothing"),
        ("dangling", "`dangling` is a link that leads to nothing"),
        ("folder-dangling/new", "`folder-dangling` is a link that leads to nothing"),
        ("binary", "binary"),
        (".env", "ignore patterns"),
        (".ENV.local", "ignore patterns"),
        ("secrets/new", "ignore patterns"),
        ("key.PEM", "ignore patterns"),
        (".git/config", "ignore patterns"),
        ("out", "outside the project"),
        ("folder-out/new", "outside the project"),
        ("dangling-out", "outside the project"),
        ("../new", "outside the project"),
        ("/tmp/new", "outside the project"),
        ("~/new", "not expanded"),
        ("", "empty"),
        ("x" * 300, "too long"),
    ],
)
async def test_what_is_refused_changes_nothing(run: ToolRun, path: str, reason: str) -> None:
    root = run.workspace.root
    (root / "folder").mkdir()
    put(run, "file", b"x")
    put(run, "binary", b"\0")
    put(run, "../outside", b"x")
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to("not-yet")
    (root / "folder-dangling").symlink_to("no-folder")
    (root / "out").symlink_to("../outside")
    (root / "folder-out").symlink_to("..")
    (root / "dangling-out").symlink_to("../not-yet")
    before = sorted(root.parent.rglob("*"))
    result = await write(run, path, "new")
    assert reason in result.error and not result.seen
    assert sorted(root.parent.rglob("*")) == before
    assert (root / "file").read_bytes() == (root / "../outside").read_bytes() == b"x"


def test_it_edits() -> None:
    assert (get_effect(write_file), extract_paths(write_file, {"path": "x"})) == ("edit", ["x"])
