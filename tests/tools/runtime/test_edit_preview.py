import hashlib
import os
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.apply_patch import apply_patch
from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.grep import grep
from maxagent.tools.builtin.files.read_file import read_file
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.filesystem.file_access import MAX_FILE_BYTES, hash_content
from maxagent.tools.runtime.edit_preview import PreviewCall, preview_calls
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

KNOWN = {"a.py": hash_content(b"one\r\ntwo\r\n")}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "a.py").write_bytes(b"one\r\ntwo\r\n")
    (root / "link.py").symlink_to("a.py")
    (root / ".env").write_text("SECRET=1\n")
    return Workspace(root)


def state_of(root: Path) -> dict[str, str]:
    return {
        str(path): f"{path.lstat().st_mode} {path.lstat().st_mtime_ns} "
        + (hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for path in sorted(root.rglob("*"))
    }


def change(path: str, old: str, new: str) -> PreviewCall:
    return PreviewCall(edit, {"file_path": path, "old_string": old, "new_string": new}, KNOWN)


async def test_diff_is_of_edit_and_nothing_is_written(workspace: Workspace) -> None:
    before = state_of(workspace.root)
    (result,) = await preview_calls([change("a.py", "two", "zwei")], workspace)
    assert "-two\n+zwei" in result.metadata["diff"] and "--- a/a.py" in result.metadata["diff"]
    assert state_of(workspace.root) == before


async def test_an_edit_builds_on_those_before_it(workspace: Workspace) -> None:
    new = PreviewCall(write_file, {"path": "sub/deep/n.py", "content": "x = 1\n"})
    first, second, third, fourth = await preview_calls(
        [
            change("a.py", "two", "2"),
            change("a.py", "2", "ii"),
            new,
            change("sub/deep/n.py", "1", "2"),
        ],
        workspace,
    )
    assert first.ok and second.ok and third.ok and fourth.ok
    assert "-2\n+ii" in second.metadata["diff"]
    assert "-x = 1\n+x = 2" in fourth.metadata["diff"]
    assert not (workspace.root / "sub" / "deep").exists()


SHOWING = [
    PreviewCall(read_file, {"path": "a.py"}),
    PreviewCall(read_file, {"path": "./sub/../link.py", "start_line": 2}),
    PreviewCall(grep, {"regex": "^one", "path": "a.py"}),
    PreviewCall(grep, {"regex": "^one"}),
]
SHOWING_NOTHING_OF_IT = [
    PreviewCall(read_file, {"path": "a.py", "start_line": 9}),
    PreviewCall(read_file, {"path": "b.py"}),
    PreviewCall(grep, {"regex": "^nine"}),
    PreviewCall(grep, {"regex": "^one", "path": "sub"}),
]


@pytest.mark.parametrize("shows", SHOWING)
@pytest.mark.parametrize("existing", [{}, {"a.py": hash_content(b"long ago")}])
async def test_file_shown_before_edit_counts_as_read(
    shows: PreviewCall, existing: dict[str, str], workspace: Workspace
) -> None:
    blanks = PreviewCall(
        edit, {"file_path": "a.py", "old_string": "two  ", "new_string": "2"}, existing
    )
    refused, _, made = await preview_calls([blanks, shows, blanks], workspace)
    assert not refused.ok and "-two\n+2" in made.metadata["diff"]


@pytest.mark.parametrize("shows", SHOWING_NOTHING_OF_IT)
async def test_call_without_shown_text_leaves_file_unknown(
    shows: PreviewCall, workspace: Workspace
) -> None:
    (workspace.root / "b.py").write_text("one\n")
    unknown = PreviewCall(edit, {"file_path": "a.py", "old_string": "two", "new_string": "2"})
    _, refused = await preview_calls([shows, unknown], workspace)
    assert "has not been read yet" in refused.error


async def test_a_reading_call_sees_the_edits_before_it(workspace: Workspace) -> None:
    first = change("a.py", "two", "zwei")
    _, read, result = await preview_calls(
        [first, PreviewCall(read_file, {"path": "a.py"}), PreviewCall(grep, {"regex": "zwei"})],
        workspace,
    )
    assert "zwei" in read.output and result.output == "a.py:2: zwei"
    assert read.seen == result.seen == {"a.py": hash_content(b"one\r\nzwei\r\n")}


async def test_a_refused_edit_does_not_stop_the_next(workspace: Workspace) -> None:
    refused, made = await preview_calls(
        [change("a.py", "nine", "9"), change("a.py", "two", "2")], workspace
    )
    assert not refused.ok and made.ok


@pytest.mark.parametrize(
    "path", ["./sub/../a.py", "link.py", "{root}/a.py", "{root}/link.py"], ids=str
)
async def test_file_is_found_under_every_name(path: str, workspace: Workspace) -> None:
    (result,) = await preview_calls(
        [change(path.format(root=workspace.root), "two", "2")], workspace
    )
    assert result.ok and result.metadata["path"] == "a.py"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("missing.py", "missing.py"),
        (".env", "ignore patterns"),
        ("../a.py", "outside the project"),
        ("sub", "is a folder"),
        ("a.py/x", "a.py"),
        ("pipe", "not a regular file"),
        ("large", "larger than"),
        ("bin", "binary"),
    ],
)
async def test_it_refuses_what_the_edit_would_refuse(
    path: str, text: str, workspace: Workspace
) -> None:
    os.mkfifo(workspace.root / "pipe")
    (workspace.root / "large").touch()
    os.truncate(workspace.root / "large", MAX_FILE_BYTES + 1)
    (workspace.root / "bin").write_bytes(b"a\0b")
    (result,) = await preview_calls([change(path, "two", "2")], workspace)
    assert text in result.error and "maxagent-" not in result.error


async def test_forbidden_file_content_is_refused(workspace: Workspace) -> None:
    (workspace.root / "a.py").chmod(0o444)
    new = PreviewCall(write_file, {"path": "a.py/x.py", "content": ""})
    read_only, below_a_file = await preview_calls([change("a.py", "two", "2"), new], workspace)
    assert not below_a_file.ok
    assert "read-only" in read_only.error


UPDATE = "*** Begin Patch\n*** Update File: {name}\n-two\n+2\n*** End Patch"
DELETE = "*** Begin Patch\n*** Delete File: {name}\n*** End Patch"
NAMES = [
    "a.py",
    "link.py",
    "dangling.py",
    "sub/link.py",
    "folder/in.py",
    "folder/new.py",
    "loop.py",
]


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("patch", [UPDATE, DELETE, None])
async def test_it_says_what_the_edit_then_does(
    name: str, patch: str | None, absolute: bool, workspace: Workspace, tmp_path: Path
) -> None:
    root = workspace.root
    (root / "sub/in.py").write_bytes(b"one\ntwo\n")
    (root / "dangling.py").symlink_to("nowhere.py")
    (root / "sub/link.py").symlink_to("../a.py")
    (root / "folder").symlink_to("sub")
    (root / "loop.py").symlink_to("loop.py")
    existing = {**KNOWN, "sub/in.py": hash_content(b"one\ntwo\n")}
    path = str(root / name) if absolute else name
    edit = PreviewCall(apply_patch, {"patch": patch.format(name=path)}, existing) if patch else None
    made = edit or PreviewCall(write_file, {"path": path, "content": "new\n"}, existing)
    (output,) = await preview_calls([made], workspace)
    run = ToolRun(workspace, "preview", tmp_path / "outputs", seen=existing)
    done = await invoke(made.tool, made.args, run)
    assert (output.error, output.output, output.metadata) == (
        done.error,
        done.output,
        done.metadata,
    )


async def test_no_copy_is_left_behind(workspace: Workspace, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    await preview_calls([change("a.py", "two", "2")], workspace)
    assert not list((tmp_path / "temporary").iterdir())
