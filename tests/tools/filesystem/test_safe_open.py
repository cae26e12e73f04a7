"""What is opened beneath a folder is beneath it, with the kernel's help and without."""

import os
from pathlib import Path

import pytest

from maxagent.tools.filesystem.safe_open import (
    FOLDER,
    LIST_FLAGS,
    find_kernel_open,
    open_beneath,
    open_parent,
    stat_beneath,
)

READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@pytest.fixture(params=["by the kernel", "step by step"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "step by step":
        monkeypatch.setattr("maxagent.tools.filesystem.safe_open.find_kernel_open", lambda: None)
    elif not find_kernel_open():
        pytest.skip("this system has no openat2")
    root = tmp_path / "root"
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/file").write_text("inside")
    (tmp_path / "outside").write_text("outside")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_text("outside")
    return root


def content(root: Path, name: str) -> bytes:
    with open(open_beneath(root, name, READ), "rb") as file:
        return file.read()


@pytest.mark.parametrize("name", ["a/b/file", "a//b/./file", "./a/b/file", "a/b/file/"])
def test_what_is_there_is_opened(root: Path, name: str) -> None:
    assert content(root, name) == b"inside"


def test_hard_names_are_opened(root: Path) -> None:
    for name in ["-rf", "two\nlines", "文件", "x" * 255, "..a", "..."]:
        (root / name).write_text(name)
        assert content(root, name) == name.encode()


LINKS = {
    "absolute": "../outside",
    "out": "../folder",
    "in": "a",
    "self": "self",
    "gone": "../not-yet",
    "magic": "/proc/self/root",
    "cwd": "/proc/self/cwd",
}


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "a/../../outside",
        "a/..",
        "/etc/passwd",
        "a/b/file\0x",
        "missing",
        "a/b/file/x",
        "absolute",
        "out/file",
        "in/b/file",
        "self",
        "gone",
        "magic/etc/passwd",
        "cwd/x",
    ],
)
def test_nothing_else_is(root: Path, name: str) -> None:
    for link, target in LINKS.items():
        (root / link).symlink_to(target)
    for flags in (READ, FOLDER, LIST_FLAGS):
        with pytest.raises(OSError):
            os.close(open_beneath(root, name, flags))


@pytest.mark.parametrize("name", ["..", "a/..", "../outside", "/etc", "a/../../outside"])
def test_no_parent_is_found_outside(root: Path, name: str) -> None:
    with pytest.raises(OSError):
        stat_beneath(root, name)


def test_root_may_be_named_through_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert content(tmp_path / "alias", "a/b/file") == b"inside"
    descriptor = open_beneath(root, ".", LIST_FLAGS)
    assert os.listdir(descriptor) == ["a"]
    os.close(descriptor)


def test_link_is_distinguished_from_its_target(root: Path) -> None:
    (root / "link").symlink_to("a")
    assert stat_beneath(root, "link").st_ino == (root / "link").lstat().st_ino
    assert stat_beneath(root, ".").st_ino == root.stat().st_ino
    with pytest.raises(OSError):
        stat_beneath(root, "link/b")


def test_open_folder_stays_when_its_name_is_replaced(root: Path, tmp_path: Path) -> None:
    with open_parent(root, "a/b/new") as (folder, name):
        (root / "a/b").rename(root / "a/c")
        (root / "a/b").symlink_to(tmp_path / "folder")
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, dir_fd=folder))
    assert (root / "a/c/new").exists() and os.listdir(tmp_path / "folder") == ["file"]


def test_no_descriptor_is_left_open(root: Path) -> None:
    before = os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd") else []
    content(root, "a/b/file")
    stat_beneath(root, "a/b/file")
    for name in ("missing/x", "a/b/file/x/y", "../x"):
        with pytest.raises(OSError):
            open_beneath(root, name, READ)
    # what an earlier test has left may be closed meanwhile
    assert len(os.listdir("/proc/self/fd") if before else []) <= len(before)
