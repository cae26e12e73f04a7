import os
import socket
import sys
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.tools.sandbox.system_paths import (
    find_listening_sockets,
    find_private_folders,
    find_shown_folders,
    find_user_files,
    resolve_writable_folders,
)


def test_programs_in_a_private_folder_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("venv/bin", "tools", "tools/more", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    entries = [str(tmp_path / name) for name in ("venv/bin", "tools", "missing")]
    monkeypatch.setenv("PATH", ":".join([*entries, "", "/usr/bin"]))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    private = tmp_path.resolve()
    paths = {Path(item).resolve() for item in (sys.prefix, sys.base_prefix)}
    folders = set(find_shown_folders([private], network=False)) - paths
    assert folders == {private / "venv", private / "tools"}


def test_private_folders_exist_and_are_real() -> None:
    assert find_private_folders()
    assert all(
        private_folder.is_dir() and private_folder == private_folder.resolve()
        for private_folder in find_private_folders()
    )


def test_writable_folders_are_expanded_and_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    for folder in (project, home / "cache", tmp_path / "lib"):
        folder.mkdir(parents=True)
    (tmp_path / "way").symlink_to("lib")
    monkeypatch.setenv("HOME", str(home))
    root = tmp_path.resolve()
    names = ["~/cache", "../lib", str(tmp_path / "way")]
    writable_folders = resolve_writable_folders(names, project, home / ".llc")
    assert writable_folders == (root / "home" / "cache", root / "lib", root / "lib")


@pytest.mark.parametrize("name", ["/", "~", "..", ".", "", " ", "~/.llc", "file"])
def test_too_wide_path_or_non_folder_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    for folder in (project, home / ".llc"):
        folder.mkdir(parents=True)
    (project / "file").write_text("")
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(UsageError, match=r"sandbox\.writable.*cannot be opened"):
        resolve_writable_folders([name], project, home / ".llc")


def test_one_that_does_not_exist_stops_nothing(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    assert resolve_writable_folders([str(root / "missing")], root / "a", root / "b") == (
        root / "missing",
    )


@pytest.mark.parametrize("name", ["way", "way/more", "../cache/way"])
def test_link_a_command_could_create_opens_nothing(name: str, tmp_path: Path) -> None:
    root = tmp_path.resolve()
    for folder in ("project", "cache", "elsewhere/more"):
        (root / folder).mkdir(parents=True)
    for folder in ("project", "cache"):
        (root / folder / "way").symlink_to("../elsewhere")
    with pytest.raises(UsageError, match="a symlink that a command could"):
        resolve_writable_folders([name, "../cache"], root / "project", root / "home")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists its sockets")
def test_a_listener_is_found_by_its_real_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "way").symlink_to("real")
    with socket.socket(socket.AF_UNIX) as item:
        item.bind(str(tmp_path / "way" / "a b.sock"))
        item.listen()
        assert Path(os.path.realpath(tmp_path / "real" / "a b.sock")) in find_listening_sockets()


def test_abstract_relative_and_missing_sockets_are_skipped(tmp_path: Path) -> None:
    entries = tmp_path / "unix"
    head = "Num RefCount Protocol Flags Type St Inode Path\n"
    row = "0: 2 0 10000 0001 01 5"
    entries.write_text(f"{head}{row}\n{row} @abstract\n{row} own.sock\n{row} {tmp_path}/gone\n")
    assert find_listening_sockets(entries) == []
    assert find_listening_sockets(tmp_path / "nothing") == []


def test_home_that_cannot_be_read_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/" + "x" * 5_000)
    assert find_user_files() == ()
