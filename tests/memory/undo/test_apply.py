import os
import subprocess
from pathlib import Path

import pytest

from maxagent.memory.snapshots.file_version import (
    ABSENT,
    FILE,
    LINK,
    PROGRAM,
    FileVersion,
    PathChange,
)
from maxagent.memory.snapshots.working_tree import read_version
from maxagent.memory.undo.apply import LOST, MOVED, apply_restore, remove_leftovers


def blob(content: bytes) -> str:
    """The id that git itself gives to the content."""
    command = ["git", "hash-object", "--stdin"]
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode()[
        :-1
    ]


OLD, NEW = b"old\n", b"new\n"
CONTENTS = {blob(OLD): OLD, blob(b"target"): b"target"}
A_FILE = FileVersion(FILE, blob(OLD))


def coming(path: str) -> PathChange:
    return PathChange(path, ABSENT, A_FILE)


def going(path: str) -> PathChange:
    return PathChange(path, FileVersion(FILE, blob(NEW)), ABSENT)


def changing(path: str, mode: str = FILE) -> PathChange:
    return PathChange(path, FileVersion(FILE, blob(NEW)), FileVersion(mode, blob(OLD)))


def put(folder: Path, *changes: PathChange) -> dict[str, str]:
    return apply_restore(folder, changes, CONTENTS, "mark")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_bytes(NEW)
    return outside


@pytest.mark.parametrize("where", ["link/x", "link/sub/x"])
def test_nothing_behind_a_link_is_touched(where: str, folder: Path, outside: Path) -> None:
    (folder / "link").symlink_to(outside)
    assert read_version(folder, where) == ABSENT
    for change in (coming(where), going(where), changing(where)):
        put(folder, change)
    assert list(put(folder, coming(where))) == [where]
    assert [path.name for path in outside.iterdir()] == ["x"]
    assert (outside / "x").read_bytes() == NEW


@pytest.mark.parametrize(
    "path",
    ["../outside/x", "/etc/passwd", "a/../../outside/x", ".git/config", ".GIT/config", ".git /x"],
)
def test_a_forged_path_leads_nowhere(path: str, folder: Path, outside: Path) -> None:
    for name in (".git", ".GIT", ".git "):
        (folder / name).mkdir(exist_ok=True)
    (folder / ".git" / "config").write_bytes(NEW)
    for change in (coming(path), going(path), changing(path)):
        assert list(put(folder, change)) == [path]
    assert (outside / "x").read_bytes() == (folder / ".git" / "config").read_bytes() == NEW


def test_link_in_place_of_file_is_replaced(folder: Path, outside: Path) -> None:
    (folder / "a").symlink_to(outside / "x")
    to_a_file = PathChange("a", read_version(folder, "a"), A_FILE)
    assert put(folder, to_a_file) == {}
    assert not (folder / "a").is_symlink() and (folder / "a").read_bytes() == OLD
    assert (outside / "x").read_bytes() == NEW


def test_a_link_comes_back_as_a_link(folder: Path) -> None:
    change = PathChange("a", ABSENT, FileVersion(LINK, blob(b"target")))
    assert put(folder, change) == {}
    assert os.readlink(folder / "a") == "target"


@pytest.mark.parametrize(
    ("before", "mode", "after"),
    [
        (0o600, FILE, 0o600),
        (0o640, PROGRAM, 0o750),
        (0o664, PROGRAM, 0o775),
        (0o664, FILE, 0o664),
    ],
)
def test_permissions_stay_but_for_the_executable_bit(
    before: int, mode: str, after: int, folder: Path
) -> None:
    (folder / "a").write_bytes(NEW)
    (folder / "a").chmod(before)
    assert put(folder, changing("a", mode)) == {}
    assert oct((folder / "a").stat().st_mode & 0o777) == oct(after)
    assert (folder / "a").read_bytes() == OLD


def test_a_hard_link_elsewhere_keeps_its_content(folder: Path, outside: Path) -> None:
    os.link(outside / "x", folder / "a")
    assert put(folder, changing("a")) == {}
    assert ((folder / "a").read_bytes(), (outside / "x").read_bytes()) == (OLD, NEW)


def test_folders_left_empty_go_and_others_stay(folder: Path) -> None:
    (folder / "a" / "b" / "c").mkdir(parents=True)
    (folder / "a" / "b" / "c" / "x").write_bytes(NEW)
    (folder / "a" / "kept").write_bytes(b"")
    assert put(folder, going("a/b/c/x")) == {}
    assert [path.name for path in (folder / "a").iterdir()] == ["kept"]


@pytest.mark.parametrize(
    ("go", "come"), [("x", "y"), ("x", "z/y"), ("z/x", "y"), ("x", "x/y"), ("x/y", "x")]
)
def test_needed_folder_keeps_its_permissions(go: str, come: str, folder: Path) -> None:
    (folder / "a" / go).parent.mkdir(parents=True)
    (folder / "a" / go).write_bytes(NEW)
    (folder / "a").chmod(0o700)
    assert put(folder, going(f"a/{go}"), coming(f"a/{come}")) == {}
    assert [path for path in folder.rglob("*") if path.is_file()] == [folder / "a" / come]
    assert oct((folder / "a").stat().st_mode & 0o777) == oct(0o700)


def test_non_empty_folder_is_not_replaced(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "of the user's").write_bytes(b"")
    assert put(folder, coming("a")) == {"a": "it cannot be written: Is a directory"}
    assert [path.name for path in folder.rglob("*")] == ["a", "of the user's"]


@pytest.mark.parametrize("change", [changing("a"), coming("a")])
def test_what_is_as_before_already_is_fine(change: PathChange, folder: Path) -> None:
    (folder / "a").write_bytes(OLD)
    assert put(folder, change) == {}
    assert (folder / "a").read_bytes() == OLD
    assert put(folder, going("never there")) == {}


def test_nothing_is_left_beside_the_files(folder: Path) -> None:
    (folder / "a").write_bytes(NEW)
    (folder / "d").mkdir()
    (folder / "d" / "x").write_bytes(b"")
    put(folder, changing("a"), coming("d"), coming("new"))
    assert sorted(path.name for path in folder.iterdir()) == ["a", "d", "new"]


def test_file_changed_meanwhile_is_kept_others_restored(
    folder: Path,
) -> None:
    for name in "abc":
        (folder / name).write_bytes(NEW)
    (folder / "b").write_bytes(b"the user's\n")
    assert put(folder, changing("a"), changing("b"), going("c")) == {"b": MOVED}
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "a": OLD,
        "b": b"the user's\n",
    }


def test_without_its_content_a_file_is_left_alone(folder: Path) -> None:
    (folder / "a").write_bytes(NEW)
    assert apply_restore(folder, [changing("a")], {}, "mark") == {"a": LOST}
    assert (folder / "a").read_bytes() == NEW


def test_file_replaces_folder_and_folder_replaces_file(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "x").write_bytes(NEW)
    (folder / "c").write_bytes(NEW)
    assert put(folder, coming("a"), going("a/b/x"), coming("c/d/x"), going("c")) == {}
    assert ((folder / "a").read_bytes(), (folder / "c" / "d" / "x").read_bytes()) == (OLD, OLD)


def test_leftovers_of_killed_restore_are_removed(folder: Path) -> None:
    (folder / "sub").mkdir()
    names = ["sub/.mcode-mark", ".mcode-mark", "sub/.mcode-other", ".mcode-mark.txt"]
    for name in names:
        (folder / name).write_bytes(NEW)
    remove_leftovers(folder, [changing("sub/x"), changing("a"), going("gone/x")], "mark")
    assert {path.name for path in folder.rglob(".mcode*")} == {".mcode-other", ".mcode-mark.txt"}


def test_repeated_restore_ignores_leftover_of_killed_one(folder: Path) -> None:
    (folder / "a").write_bytes(NEW)
    (folder / ".mcode-mark").write_bytes(b"ol")
    assert put(folder, changing("a")) == {} == put(folder, changing("a"))
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("a", OLD)]


def test_folders_that_a_killed_one_left_empty_go(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    assert put(folder, going("a/b/x"), coming("a")) == {}
    assert (folder / "a").read_bytes() == OLD


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("change", [coming("a/x"), changing("a/x"), changing("a/x", PROGRAM)])
@pytest.mark.parametrize("mode", [0o644, 0o4644])
def test_restored_file_keeps_its_owner(folder: Path, change: PathChange, mode: int) -> None:
    (folder / "a").mkdir()
    file = folder / "a/x"
    if change.old != ABSENT:
        file.write_bytes(NEW)
        os.chown(file, 1234, 1235)
        file.chmod(mode)
    os.chown(folder / "a", 1234, 1235)
    assert put(folder, change) == {}
    status = file.stat()
    assert (file.read_bytes(), status.st_uid, status.st_gid) == (OLD, 1234, 1235)
