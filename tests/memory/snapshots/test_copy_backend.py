"""What snapshots are without git, and what becomes of them once it is there."""

import os
import re
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots.copy_backend import render_diff
from maxagent.memory.snapshots.file_version import (
    FILE,
    PROGRAM,
    FileVersion,
    PathChange,
    filter_visible,
)
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.undo.apply import apply_restore

LONG = b"".join(b"%d\n" % n for n in range(40))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\nb\n", b"a\nc\n"),
        (b"a\nb", b"a\nb\n"),
        (b"a\nb\n", b"a\nb"),
        (b"a", b"b"),
        (b"", b"a\n"),
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\rb\x0cc\n", b"a\rb\x0cd\n"),
        (LONG, LONG.replace(b"7\n", b"seven\n")),
        (b"a\0", b"b\0"),
        (None, b"a\nb"),
        (b"a\n", None),
        (None, b""),
    ],
)
async def test_it_reads_as_gits(
    old: bytes | None, new: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    location = (tmp_path / "project", tmp_path / "data", [])
    with_git = Snapshots(*location)
    monkeypatch.setenv("PATH", "/nowhere")
    plain, trees = Snapshots(*location), list[str]()
    for content in (old, new):
        (tmp_path / "project" / "x y").unlink(missing_ok=True)
        if content is not None:
            (tmp_path / "project" / "x y").write_bytes(content)
        trees.append(await plain.take(named_files=["x y"]))
    ours = await plain.diff(trees[0], trees[1])
    await with_git.write_blob(b"")
    theirs = await with_git.diff(trees[0], trees[1])
    # which also names the blobs, and a line near each change behind the second `@@`
    theirs = re.sub(r"^index .*\n", "", theirs, flags=re.MULTILINE)
    theirs = re.sub(r"^(@@ .* @@).*", r"\1", theirs, flags=re.MULTILINE)
    assert ours == theirs


def test_a_change_of_mode_alone_is_reported() -> None:
    change = PathChange("x", FileVersion(FILE, "1" * 40), FileVersion(PROGRAM, "1" * 40))
    assert render_diff([change], {}) == ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text("a = 1\n")
    (folder / "sub" / "b.txt").write_text("b\n")
    (folder / "not named").write_text("1")
    return folder


@pytest.fixture
def no_git(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("PATH", "/nowhere")
    return monkeypatch


@pytest.fixture
def snapshots(folder: Path, tmp_path: Path, no_git: pytest.MonkeyPatch) -> Snapshots:
    return Snapshots(folder, tmp_path / "data" / "snapshots", [".env"])


def kinds(changes: list[PathChange]) -> dict[str, str]:
    return {change.path: change.kind for change in filter_visible(changes)}


async def test_named_files_are_seen_from_then_on(snapshots: Snapshots, folder: Path) -> None:
    empty = await snapshots.take()
    old = await snapshots.take(named_files=["a.py", "sub/b.txt", "made/later"])
    assert kinds(await snapshots.list_changes(empty, old)) == {
        "a.py": "added",
        "sub/b.txt": "added",
    }
    assert await snapshots.take() == old
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub" / "b.txt").unlink()
    (folder / "made").mkdir()
    (folder / "made" / "later").symlink_to("../a.py")
    (folder / "not named").write_text("2")
    new = await snapshots.take()
    assert kinds(await snapshots.list_changes(old, new)) == {
        "a.py": "modified",
        "made/later": "added",
        "sub/b.txt": "deleted",
    }
    assert "-a = 1\n+a = 2\n" in await snapshots.diff(old, new)
    assert "a.py" not in await snapshots.diff(old, new, ["sub/b.txt"])
    assert await snapshots.diff(old, new, []) == ""


async def test_everything_can_be_taken_back(snapshots: Snapshots, folder: Path) -> None:
    names = ["a.py", "sub/b.txt", "new", "x\udcff\n"]
    old = await snapshots.take(named_files=names)
    (folder / "a.py").write_bytes(b"\r\n\0\xff")
    (folder / "a.py").chmod(0o755)
    (folder / "sub" / "b.txt").unlink()
    (folder / "new").write_text("new")
    (folder / names[-1]).write_text("odd")
    new = await snapshots.take()
    back = [PathChange(c.path, c.new, c.old) for c in await snapshots.list_changes(old, new)]
    contents = await snapshots.read_blobs([c.new.blob for c in back if c.new.has_content])
    assert apply_restore(folder, back, contents, "test") == {}
    assert await snapshots.take() == old
    assert (folder / "a.py").read_text() == "a = 1\n"
    assert not (folder / "new").exists()


async def test_secrets_and_what_is_outside_stay_out(snapshots: Snapshots, folder: Path) -> None:
    (folder / ".env").write_text("TOP-SECRET")
    (folder.parent / "outside").write_text("TOP-SECRET")
    (folder / "link").symlink_to(folder.parent)
    empty = await snapshots.take()
    names = [".env", "../outside", "link/outside", str(folder.parent / "outside"), "sub"]
    assert await snapshots.take(named_files=names) == empty
    os.mkfifo(folder / "pipe")
    await snapshots.take(named_files=["pipe"])
    assert "not readable: `pipe`" in snapshots.skipped


async def test_git_goes_on_with_the_same_store(
    snapshots: Snapshots, folder: Path, tmp_path: Path, no_git: pytest.MonkeyPatch
) -> None:
    old = await snapshots.take(named_files=["a.py", "sub/b.txt"])
    blob = await snapshots.write_blob(b"kept\n")
    no_git.undo()
    later = Snapshots(folder, tmp_path / "data" / "snapshots", [".env"])
    new = await later.take()
    assert kinds(await later.list_changes(old, new)) == {"not named": "added"}
    assert await later.read_blobs([blob]) == {blob: b"kept\n"}
    assert await later.write_blob(b"kept\n") == blob
    assert await snapshots.list_changes(old, new) == await later.list_changes(old, new)


async def test_what_is_lost_is_reported(snapshots: Snapshots) -> None:
    tree = await snapshots.take()
    with pytest.raises(MaxAgentError, match="have lost a tree"):
        await snapshots.list_changes("1" * 40, tree)
    with pytest.raises(MaxAgentError, match="have lost a blob"):
        await snapshots.read_blobs(["1" * 40])


async def test_a_folder_that_is_gone_is_reported(snapshots: Snapshots, folder: Path) -> None:
    folder.rename(folder.parent / "moved")
    with pytest.raises(MaxAgentError, match="is not a folder"):
        await snapshots.take()


async def test_the_event_loop_is_never_blocked(snapshots: Snapshots) -> None:
    blockbuster = pytest.importorskip("blockbuster")
    with blockbuster.blockbuster_ctx():
        old = await snapshots.take()
        new = await snapshots.take(named_files=["a.py"])
        await snapshots.diff(old, new)
        await snapshots.read_blobs([await snapshots.write_blob(b"x")])
