"""Regular files of the project are read whole or not at all; nothing else is, and never a link."""

import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxagent.tools.filesystem.atomic_write import write_atomic
from maxagent.tools.filesystem.file_access import (
    change_mode,
    find_missing_folders,
    get_stat,
    hash_content,
    read_bytes,
    remove_file,
    remove_folder,
    resolve_write_path,
    stat_writable,
)
from maxagent.tools.result import ToolError
from maxagent.tools.workspace import Workspace


@pytest.fixture(params=["by the kernel", "step by step"])
def workspace(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Workspace:
    """A project on a system that opens what is beneath a folder, and on one that cannot."""
    if request.param == "step by step":
        monkeypatch.setattr("maxagent.tools.filesystem.safe_open.find_kernel_open", lambda: None)
    return Workspace(tmp_path)


def everything(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_irregular_file_is_refused_without_hanging(workspace: Workspace) -> None:
    root = workspace.root
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "socket"))
        for name in ["folder", "pipe", "socket", "loop"]:
            with pytest.raises(ToolError):
                read_bytes(workspace, root / name)
            with pytest.raises(ToolError, match="folder|not a regular file"):
                write_atomic(workspace, root / name, b"x")
    assert stat.S_ISFIFO((root / "pipe").lstat().st_mode)


def test_a_device_is_refused() -> None:
    with pytest.raises(ToolError, match="not a regular file"):
        read_bytes(Workspace(Path("/dev")), Path("/dev/zero"))


def test_a_missing_file_is_refused_with_the_reason(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match="`gone` could not be read: no such file"):
        read_bytes(workspace, workspace.resolve("gone"))


def test_more_than_the_limit_is_refused(workspace: Workspace) -> None:
    (workspace.root / "big").write_bytes(b"x" * 11)
    assert len(read_bytes(workspace, workspace.root / "big", limit=11)) == 11
    with pytest.raises(ToolError, match="larger than 10 bytes"):
        read_bytes(workspace, workspace.root / "big", limit=10)


def test_gigabyte_file_is_refused_without_being_read(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (workspace.root / "huge").open("wb") as file:
        file.truncate(1 << 30)
    monkeypatch.setattr(os, "read", lambda *arguments: pytest.fail("it was read"))
    with pytest.raises(ToolError, match="`huge` is larger than 20,000,000 bytes"):
        read_bytes(workspace, workspace.root / "huge")


def test_removed_file_is_gone_and_missing_one_refused(workspace: Workspace) -> None:
    (workspace.root / "file").touch()
    remove_file(workspace, workspace.root / "file")
    assert everything(workspace.root) == {}
    with pytest.raises(ToolError, match="`file` could not be removed: no such file"):
        remove_file(workspace, workspace.root / "file")


def test_link_that_leads_nowhere_is_not_written(workspace: Workspace) -> None:
    (workspace.root / "dangling").symlink_to("gone")
    (workspace.root / "link").symlink_to("file")
    (workspace.root / "file").touch()
    assert resolve_write_path(workspace, "link") == workspace.root / "file"
    assert resolve_write_path(workspace, "new/file") == workspace.root / "new/file"
    for name in ["dangling", "dangling/new", "./dangling"]:
        with pytest.raises(ToolError, match="`dangling` is a link that leads to nothing"):
            resolve_write_path(workspace, name)


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder that belongs to a user who is not root, and the rights of that user."""
    folder = Path(tempfile.mkdtemp())
    if os.geteuid() != 0:
        yield folder
    else:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(0)
    shutil.rmtree(folder)


def test_unreadable_file_is_refused(as_nobody: Path) -> None:
    workspace = Workspace(as_nobody)
    (workspace.root / "file").write_text("theirs")
    (workspace.root / "file").chmod(0)
    with pytest.raises(ToolError, match="permission denied"):
        read_bytes(workspace, workspace.root / "file")


def test_hashes_tell_contents_apart() -> None:
    assert hash_content(b"a") == hash_content(b"a") != hash_content(b"b")
    assert len(hash_content(b"")) == 16


def test_path_replaced_by_a_link_is_not_touched(workspace: Workspace, tmp_path: Path) -> None:
    root, outside = workspace.root / "project", tmp_path / "outside"
    for folder in (root / "docs", outside):
        folder.mkdir(parents=True)
        (folder / "a").write_text("theirs")
    project = Workspace(root)
    below, file = project.resolve("docs/a"), project.resolve("new")
    (root / "docs").rename(root / "aside")
    (root / "docs").symlink_to(outside)
    file.symlink_to(outside / "a")
    for path in (below, file):
        for act in (read_bytes, stat_writable, remove_file):
            if (act, path) == (remove_file, file):
                continue  # which removes the link itself
            with pytest.raises(ToolError):
                act(project, path)
        with pytest.raises(ToolError):
            change_mode(project, path, lambda mode: 0o777)
    assert get_stat(project, below) is None
    remove_folder(project, project.root / "docs/empty")
    remove_file(project, file)
    assert everything(outside) == {"a": b"theirs"}


def test_secret_file_under_another_name_is_not_read(workspace: Workspace) -> None:
    root = workspace.root
    for secret in (".env", "secrets/key", ".git/config"):
        (root / secret).parent.mkdir(exist_ok=True)
        (root / secret).write_text("KEY=1")
        (root / "notes.txt").hardlink_to(root / secret)
        with pytest.raises(ToolError, match="`notes.txt` matches the project's ignore patterns"):
            read_bytes(workspace, root / "notes.txt")
        (root / "notes.txt").unlink()


def test_missing_folders_are_listed_outermost_first(workspace: Workspace) -> None:
    root = workspace.root
    (root / "a").mkdir()
    assert find_missing_folders(workspace, root / "a/b/c/file") == [root / "a/b", root / "a/b/c"]
    assert find_missing_folders(workspace, root / "a/file") == []
    assert get_stat(workspace, root / "a/b") is None and get_stat(workspace, root)


def test_a_mode_is_changed_from_what_it_is(workspace: Workspace) -> None:
    path = workspace.root / "file"
    path.touch(0o640)
    change_mode(workspace, path, lambda mode: mode | 0o100)
    assert stat.S_IMODE(path.stat().st_mode) == 0o740
    with pytest.raises(ToolError, match="`gone` could not be set: no such file"):
        change_mode(workspace, workspace.root / "gone", lambda mode: mode)


def test_folder_that_is_not_empty_is_not_removed(workspace: Workspace) -> None:
    (workspace.root / "full/empty").mkdir(parents=True)
    remove_folder(workspace, workspace.root / "full")
    assert everything(workspace.root) == {"full": None, "full/empty": None}
    remove_folder(workspace, workspace.root / "full/empty")
    assert everything(workspace.root) == {"full": None}
