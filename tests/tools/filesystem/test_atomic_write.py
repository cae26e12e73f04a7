"""Files are replaced in one step or not at all, and in the folder that was meant."""

import errno
import os
import resource
import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxagent.tools.filesystem.atomic_write import AtomicWriter, write_atomic
from maxagent.tools.filesystem.file_access import read_bytes
from maxagent.tools.result import ToolError
from maxagent.tools.workspace import Workspace


@pytest.fixture(params=["unnamed", "named", "step by step"])
def workspace(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Workspace:
    """A project on Linux, where no file is without a name, and where paths are opened in steps."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if request.param == "step by step":
        monkeypatch.setattr("maxagent.tools.filesystem.safe_open.find_kernel_open", lambda: None)
    return Workspace(tmp_path)


def everything(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("data", [b"", b"text\n", bytes(range(256)), b"x" * 3_000_000])
def test_what_was_written_is_read_back(workspace: Workspace, data: bytes) -> None:
    path = workspace.resolve("new/folder/file")
    write_atomic(workspace, path, data)
    assert read_bytes(workspace, path) == data
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_hard_names_are_read_and_written(workspace: Workspace) -> None:
    for name in ["-rf", "two\nlines", "文件.txt", "a b", "x" * 255, "🙂", "'quo\"ted'"]:
        path = workspace.resolve(name)
        write_atomic(workspace, path, name.encode())
        assert read_bytes(workspace, path) == name.encode()


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o640])
def test_the_mode_of_a_replaced_file_is_kept(workspace: Workspace, mode: int) -> None:
    path = workspace.root / "script"
    path.write_text("old")
    path.chmod(mode)
    write_atomic(workspace, path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", mode)


def test_a_new_file_follows_the_umask(workspace: Workspace) -> None:
    umask = os.umask(0o027)
    try:
        write_atomic(workspace, workspace.root / "new", b"")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((workspace.root / "new").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_the_owner_of_a_replaced_file_is_kept(workspace: Workspace) -> None:
    path = workspace.root / "theirs"
    path.write_text("old")
    os.chown(path, 65534, 65534)
    write_atomic(workspace, path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534)


def test_file_of_an_unknown_owner_is_written(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `unshare -r` shows one whose group is not mapped."""

    def unknown(descriptor: int, owner: int, group: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    path = workspace.root / "theirs"
    path.write_bytes(b"old")
    path.chmod(0o4755)
    monkeypatch.setattr(os, "fchown", unknown)
    write_atomic(workspace, path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o755)


def test_other_name_of_the_file_keeps_old_content(workspace: Workspace) -> None:
    path, other = workspace.root / "file", workspace.root / "other"
    path.write_bytes(b"old")
    other.hardlink_to(path)
    write_atomic(workspace, path, b"new")
    assert (path.read_bytes(), other.read_bytes()) == (b"new", b"old")


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="only Linux has these calls")
def test_attributes_of_the_user_are_kept(workspace: Workspace) -> None:
    path = workspace.root / "file"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    write_atomic(workspace, path, b"new")
    assert os.getxattr(path, "user.note") == b"mine"


def test_file_system_without_attributes_still_replaces_a_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As sshfs answers."""

    def fail(path: str, *, follow_symlinks: bool) -> list[str]:
        raise OSError(errno.ENOTSUP, "Operation not supported", path)

    path = workspace.root / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "listxattr", fail, raising=False)
    write_atomic(workspace, path, b"new")
    assert path.read_bytes() == b"new"


def test_a_file_that_came_meanwhile_is_not_overwritten(workspace: Workspace) -> None:
    path = workspace.root / "folder/new"
    writing = AtomicWriter(workspace, path, b"ours")
    path.write_bytes(b"theirs")
    with pytest.raises(ToolError, match="nothing was changed: file exists"):
        writing.move_into_place()
    assert everything(workspace.root) == {"folder": None, "folder/new": b"theirs"}


def test_irreplaceable_file_leaves_nothing_behind(workspace: Workspace) -> None:
    """As in a sticky folder, where it is another's, or where a container has mounted it."""
    path = workspace.root / "file"
    path.write_bytes(b"old")
    writing = AtomicWriter(workspace, path, b"new")
    path.unlink()
    path.mkdir()
    with pytest.raises(ToolError, match="nothing was changed: is a directory"):
        writing.move_into_place()
    assert everything(workspace.root) == {"file": None}


def test_what_is_dropped_leaves_nothing_behind(workspace: Workspace) -> None:
    (workspace.root / "file").write_bytes(b"old")
    for name in ["file", "new", "a/b/new"]:
        AtomicWriter(workspace, workspace.root / name, b"x").drop()
    assert everything(workspace.root) == {"file": b"old"}


def test_placed_file_is_not_dropped(workspace: Workspace) -> None:
    writing = AtomicWriter(workspace, workspace.root / "a/new", b"x")
    writing.move_into_place()
    writing.drop()
    assert everything(workspace.root) == {"a": None, "a/new": b"x"}


def test_new_file_may_get_another_files_mode(workspace: Workspace) -> None:
    (workspace.root / "script").touch(0o755)
    like = (workspace.root / "script").stat()
    write_atomic(workspace, workspace.root / "copy", b"x", like)
    assert stat.S_IMODE((workspace.root / "copy").stat().st_mode) == stat.S_IMODE(like.st_mode)


def test_a_link_is_written_through(workspace: Workspace) -> None:
    root = workspace.root
    (root / "target").write_text("old")
    (root / "link").symlink_to("target")
    (root / "dangling").symlink_to("not-yet")
    write_atomic(workspace, workspace.resolve("link"), b"new")
    write_atomic(workspace, workspace.resolve("dangling"), b"made")
    assert (root / "link").is_symlink() and (root / "target").read_bytes() == b"new"
    assert (root / "dangling").is_symlink() and (root / "not-yet").read_bytes() == b"made"


def test_file_in_place_of_a_folder_is_refused(workspace: Workspace) -> None:
    (workspace.root / "file").write_text("x")
    for name in ["file/new", "file/deeper/new"]:
        with pytest.raises(ToolError, match="nothing was changed: not a directory"):
            write_atomic(workspace, workspace.root / name, b"x")
    assert everything(workspace.root) == {"file": b"x"}


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


def test_a_read_only_file_is_refused_and_unchanged(as_nobody: Path) -> None:
    workspace = Workspace(as_nobody)
    path = workspace.root / "file"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(ToolError, match="`file` is read-only"):
        write_atomic(workspace, path, b"new")
    assert everything(workspace.root) == {"file": b"old"}


def test_a_read_only_folder_is_refused_and_unchanged(as_nobody: Path) -> None:
    workspace = Workspace(as_nobody)
    (workspace.root / "file").write_text("old")
    as_nobody.chmod(0o555)
    for name in ["file", "new", "new/folder/file"]:
        with pytest.raises(ToolError, match="nothing was changed: permission denied"):
            write_atomic(workspace, workspace.root / name, b"new")
    as_nobody.chmod(0o755)
    assert everything(workspace.root) == {"file": b"old"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk needs root and mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_is_refused_without_leftovers(small_disk: Path) -> None:
    workspace = Workspace(small_disk)
    (small_disk / "file").write_text("old")
    for name in ["file", "new", "new/folder/file"]:
        with pytest.raises(ToolError, match="nothing was changed: no space left on device"):
            write_atomic(workspace, small_disk / name, b"x" * 1_000_000)
    assert everything(small_disk) == {"file": b"old"}
    write_atomic(workspace, small_disk / "file", b"x" * 20_000)


def test_readers_never_see_a_half_written_file(workspace: Workspace) -> None:
    path = workspace.root / "file"
    contents = {bytes([letter]) * 200_000 for letter in b"ab"}
    path.write_bytes(next(iter(contents)))
    done = threading.Event()

    def write() -> None:
        for _ in range(20):
            for data in contents:
                write_atomic(workspace, path, data)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(read_bytes(workspace, path))
    writer.join()
    assert seen <= contents


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux has files without names")
def test_a_kill_while_writing_would_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("old")
    seen, sync = [], os.fsync

    def watch(descriptor: int) -> None:
        seen.append(everything(tmp_path))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    write_atomic(Workspace(tmp_path), tmp_path / "file", b"new")
    assert seen == [{"file": b"old"}, {"file": b"new"}]


def test_folder_swapped_for_a_link_leads_nowhere(workspace: Workspace, tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (root / "docs", outside):
        folder.mkdir(parents=True)
    project = Workspace(root)
    writing = AtomicWriter(project, root / "docs/a", b"ours")
    (root / "docs").rename(root / "aside")
    (root / "docs").symlink_to(outside)
    for act in (writing.move_into_place, lambda: AtomicWriter(project, root / "docs/b/c", b"ours")):
        with pytest.raises(ToolError, match="nothing was changed"):
            act()
    (root / "docs").unlink()
    (root / "docs").mkdir()
    writing = AtomicWriter(project, root / "docs/a", b"ours")
    (root / "docs").rename(root / "elsewhere")
    (root / "docs").mkdir()
    with pytest.raises(ToolError, match="its folder was moved away"):
        writing.move_into_place()
    assert everything(outside) == everything(root / "docs") == {}


def test_many_files_can_be_written_at_once(workspace: Workspace) -> None:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limit[1]))
    try:
        started = [AtomicWriter(workspace, workspace.root / f"{n}/file", b"x") for n in range(150)]
        for writing in started:
            writing.move_into_place()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    assert len(everything(workspace.root)) == 300
