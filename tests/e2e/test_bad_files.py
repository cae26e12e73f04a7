"""Files that cannot be changed are refused with the reason, and nothing on the disk changes."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from small_disk import fill, remount, small_disk

from maxagent.cli.execution.tool_session import ToolReply, ToolSession
from maxagent.config.settings.loader import LoadedSettings
from maxagent.config.settings.schema import SecuritySection, Settings

AUTO = LoadedSettings(Settings(security=SecuritySection(mode="auto")), {})

HUGE = 1 << 30
BAD = {
    "binary": "is binary, not text",
    "huge": "is larger than 20,000,000 bytes",
    "unreadable": "may not be read|permission denied",  # by root, by others
    "read-only": "is read-only",
    "folder": "is a folder",
    "pipe": "is not a regular file",
    "device": "outside the project",
    "out": "is outside the project",
    "out-folder/new": "is outside the project",
    "dangling": "is a link that leads to nothing",
    "loop": "is a link that leads to nothing",
    "damaged": "is marked as utf-16-le but is damaged",
    ".env": "ignore patterns",
}
WAYS = ("edit", "edits", "write")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@contextmanager
def act_as_another_user(folder: Path) -> Iterator[None]:
    """Own the folder as a user who is not root, with that user's rights."""
    user, me = (65534 if os.geteuid() == 0 else os.geteuid()), os.geteuid()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, -1)
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(me)


def fill_with_bad(project: Path) -> None:
    (project / "binary").write_bytes(b"one\0two")
    (project / "huge").touch()
    os.truncate(project / "huge", HUGE)
    for name, mode in (("unreadable", 0), ("read-only", 0o444)):
        (project / name).write_text("one")
        (project / name).chmod(mode)
    (project / "folder").mkdir()
    os.mkfifo(project / "pipe")
    (project / "device").symlink_to("/dev/zero")
    (project.parent / "outside").write_text("one")
    (project / "out").symlink_to("../outside")
    (project / "out-folder").symlink_to("..")
    (project / "dangling").symlink_to("gone")
    (project / "loop").symlink_to("loop")
    (project / "damaged").write_bytes(b"\xff\xfeo")
    (project / ".env").write_text("one")


def everything(folder: Path) -> dict[str, Any]:
    """Each path with its kind, size, time of change and place on the disk."""
    result: dict[str, Any] = {}
    for path in folder.rglob("*"):
        about = path.lstat()
        result[str(path)] = (about.st_mode, about.st_size, about.st_mtime_ns, about.st_ino)
    return result


class Hand:
    """Somebody who calls tools in a project, by any of the ways to change a file."""

    def __init__(self, project: Path, outputs: Path | None = None) -> None:
        outputs = outputs or project.parent / "outputs"
        self._session = ToolSession(project, AUTO, outputs)

    async def call(self, tool: str, **args: Any) -> ToolReply:
        return await self._session.call_tool(tool, args, lambda *_: False)

    async def read(self, path: str) -> ToolReply:
        return await self.call("read_file", path=path)

    async def change(self, way: str, path: str, old: str = "one", new: str = "two") -> ToolReply:
        if way == "write":
            return await self.call("write_file", path=path, content=new)
        pair = {"old_string": old, "new_string": new}
        return await self.call(
            "edit", file_path=path, **(pair if way == "edit" else {"edits": [pair]})
        )


@pytest.mark.parametrize("way", WAYS)
async def test_special_file_is_refused_and_nothing_changes(project: Path, way: str) -> None:
    fill_with_bad(project)
    before = everything(project.parent)
    hand = Hand(project)
    for name, reason in BAD.items():
        await hand.read(name)
        error = (await hand.change(way, name)).error
        assert any(part in error for part in reason.split("|")), (name, error)
        assert "Traceback" not in error and "internal error" not in error
    assert everything(project.parent) == before


@pytest.mark.parametrize("way", WAYS)
async def test_edit_does_not_recreate_file_deleted_since_read(project: Path, way: str) -> None:
    (project / "a").write_text("one")
    hand = Hand(project)
    await hand.read("a")
    (project / "a").unlink()
    reply = await hand.change(way, "a")
    if way == "write":
        assert not reply.error and (project / "a").read_text() == "two"
    else:
        assert "`a` does not exist" in reply.error and os.listdir(project) == []


FRENCH = "Le café était déjà fermé, à côté de l'hôtel où l'été se préparait. "


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("data", "new", "letter"),
    [
        ("# 配置文件，one".encode("gbk"), "emoji 😀", "U+1F600"),
        (f"{FRENCH * 3}one".encode("cp1252"), "汉", "U+6C49"),
        ("# Привет мир, это проверка one".encode("koi8_r"), "汉", "U+6C49"),
        (b"one", "half \ud83d", "U+D83D"),
    ],
)
async def test_what_the_encoding_cannot_hold_is_refused(
    project: Path, way: str, data: bytes, new: str, letter: str
) -> None:
    (project / "a").write_bytes(data)
    hand = Hand(project)
    await hand.read("a")
    assert f"cannot hold {letter}" in (await hand.change(way, "a", new=new)).error
    assert (project / "a").read_bytes() == data


@pytest.mark.parametrize("way", WAYS)
async def test_a_read_only_folder_is_refused(way: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        hand = Hand(project)
        for name in ("before", "a"):
            (project / name).write_text("one")
            await hand.read(name)
        # imports what the change needs: another user may not read the interpreter's folder
        assert not (await hand.change(way, "before")).error
        (project / "before").unlink()
        with act_as_another_user(Path(folder)):
            project.chmod(0o555)
            assert "nothing was changed: permission denied" in (await hand.change(way, "a")).error
            project.chmod(0o755)
        assert (os.listdir(project), (project / "a").read_text()) == (["a"], "one")


@pytest.mark.parametrize("way", WAYS)
async def test_full_disk_is_refused_and_leaves_no_files(tmp_path: Path, way: str) -> None:
    with small_disk(tmp_path / "disk", "300k") as disk:
        (disk / "a").write_text("one\n" + "x\n" * 20_000)
        (disk / "a").chmod(0o750)
        hand = Hand(disk, tmp_path / "outputs")
        await hand.read("a")
        fill(disk)
        before = everything(disk)
        error = (await hand.change(way, "a", new="two\n" * 10_000)).error
        assert "nothing was changed: no space left on device" in error
        assert everything(disk) == before
        remount(disk, "size=20m")
        assert not (await hand.change(way, "a", new="two\n" * 10_000)).error
        assert stat.S_IMODE((disk / "a").stat().st_mode) == 0o750


@pytest.mark.parametrize("way", WAYS)
async def test_edit_of_hard_linked_file_leaves_links_alone(project: Path, way: str) -> None:
    (project / "a").write_text("one")
    os.link(project / "a", project.parent / "elsewhere")
    hand = Hand(project)
    await hand.read("a")
    assert not (await hand.change(way, "a")).error
    assert (project / "a").read_text() == "two"
    assert (project.parent / "elsewhere").read_text() == "one"
