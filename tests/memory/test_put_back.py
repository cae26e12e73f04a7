import os
import subprocess
from pathlib import Path

import pytest

from maxagent.memory.put_back import (
    ABSENT,
    FILE,
    LINK,
    PROGRAM,
    UNKNOWN,
    Change,
    Version,
    put_back,
    version_on_disk,
)


def blob(content: bytes) -> str:
    """The id that git itself gives to the content."""
    command = ["git", "hash-object", "--stdin"]
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode()[
        :-1
    ]


OLD, NEW = b"old\n", b"new\n"
CONTENTS = {blob(OLD): OLD, blob(b"target"): b"target"}
A_FILE = Version(FILE, blob(OLD))


def deleted(path: str) -> Change:
    return Change(path, A_FILE, ABSENT)


def added(path: str) -> Change:
    return Change(path, ABSENT, Version(FILE, blob(NEW)))


def modified(path: str, mode: str = FILE) -> Change:
    return Change(path, Version(mode, blob(OLD)), Version(FILE, blob(NEW)))


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


def test_files_on_disk_are_named_as_git_names_them(folder: Path) -> None:
    (folder / "file").write_bytes(OLD)
    (folder / "program").write_bytes(OLD)
    (folder / "program").chmod(0o700)
    (folder / "link").symlink_to("target")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    assert {path.name: version_on_disk(folder, path.name) for path in folder.iterdir()} == {
        "file": A_FILE,
        "program": Version(PROGRAM, blob(OLD)),
        "link": Version(LINK, blob(b"target")),
        "pipe": UNKNOWN,
        "folder": ABSENT,
    }
    assert version_on_disk(folder, "missing/file") == ABSENT


@pytest.mark.parametrize("where", ["link/x", "link/sub/x"])
def test_nothing_is_written_read_or_removed_behind_a_link(
    where: str, folder: Path, outside: Path
) -> None:
    (folder / "link").symlink_to(outside)
    assert version_on_disk(folder, where) == ABSENT
    for change in (deleted(where), added(where), modified(where)):
        put_back(folder, [change], CONTENTS)
    assert put_back(folder, [deleted(where)], CONTENTS) == [where]
    assert [path.name for path in outside.iterdir()] == ["x"]
    assert (outside / "x").read_bytes() == NEW


@pytest.mark.parametrize(
    "path", ["../outside/x", "/etc/passwd", "a/../../outside/x", ".git/config"]
)
def test_a_forged_path_leads_nowhere(path: str, folder: Path, outside: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_bytes(NEW)
    for change in (deleted(path), added(path), modified(path)):
        assert put_back(folder, [change], CONTENTS) == [path]
    assert (outside / "x").read_bytes() == (folder / ".git" / "config").read_bytes() == NEW


def test_a_link_in_place_of_a_file_is_replaced_not_followed(folder: Path, outside: Path) -> None:
    (folder / "a").symlink_to(outside / "x")
    was_a_file = Change("a", A_FILE, version_on_disk(folder, "a"))
    assert put_back(folder, [was_a_file], CONTENTS) == []
    assert not (folder / "a").is_symlink() and (folder / "a").read_bytes() == OLD
    assert (outside / "x").read_bytes() == NEW


def test_a_link_comes_back_as_a_link(folder: Path) -> None:
    change = Change("a", Version(LINK, blob(b"target")), ABSENT)
    assert put_back(folder, [change], CONTENTS) == []
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
    assert put_back(folder, [modified("a", mode)], CONTENTS) == []
    assert oct((folder / "a").stat().st_mode & 0o777) == oct(after)
    assert (folder / "a").read_bytes() == OLD


def test_a_hard_link_elsewhere_keeps_its_content(folder: Path, outside: Path) -> None:
    os.link(outside / "x", folder / "a")
    assert put_back(folder, [modified("a")], CONTENTS) == []
    assert ((folder / "a").read_bytes(), (outside / "x").read_bytes()) == (OLD, NEW)


def test_folders_left_empty_go_and_others_stay(folder: Path) -> None:
    (folder / "a" / "b" / "c").mkdir(parents=True)
    (folder / "a" / "b" / "c" / "x").write_bytes(NEW)
    (folder / "a" / "kept").write_bytes(b"")
    assert put_back(folder, [added("a/b/c/x")], CONTENTS) == []
    assert [path.name for path in (folder / "a").iterdir()] == ["kept"]


def test_a_folder_with_something_in_it_is_not_replaced(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "of the user's").write_bytes(b"")
    assert put_back(folder, [deleted("a")], CONTENTS) == ["a"]
    assert [path.name for path in folder.rglob("*")] == ["a", "of the user's"]


@pytest.mark.parametrize("change", [modified("a"), deleted("a")])
def test_what_is_as_before_already_is_fine(change: Change, folder: Path) -> None:
    (folder / "a").write_bytes(OLD)
    assert put_back(folder, [change], CONTENTS) == []
    assert (folder / "a").read_bytes() == OLD
    assert put_back(folder, [added("never there")], CONTENTS) == []


def test_nothing_is_left_beside_the_files(folder: Path) -> None:
    (folder / "a").write_bytes(NEW)
    (folder / "d").mkdir()
    (folder / "d" / "x").write_bytes(b"")
    put_back(folder, [modified("a"), deleted("d"), deleted("new")], CONTENTS)
    assert sorted(path.name for path in folder.iterdir()) == ["a", "d", "new"]
