import os
from pathlib import Path

import pytest

from maxagent.memory.snapshots.git_ls_files import find_nested_repositories, plan_index_update
from maxagent.memory.snapshots.limits import LARGEST_FILE, NewFile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "file").write_text("12345")
    (tmp_path / "sub" / "file").write_text("123")
    (tmp_path / "link").symlink_to("sub")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "big").touch()
    os.truncate(tmp_path / "big", LARGEST_FILE + 1)
    return tmp_path


def listed(*entries: str) -> bytes:
    return b"".join(os.fsencode(entry) + b"\0" for entry in entries)


def test_new_files_come_with_their_size(folder: Path) -> None:
    work = plan_index_update(
        folder, listed("? file", "? link", "? nested/", "? pipe", "? gone"), frozenset()
    )
    assert work.new == [NewFile(5, b"file"), NewFile(3, b"link")]
    assert (work.gone, work.changed, work.skipped.describe()) == ([], [], "")


def test_what_is_no_file_any_more_is_gone(folder: Path) -> None:
    entries = ["C file", "R gone", "C gone", "R file/below", "C sub", "C pipe", "C link"]
    work = plan_index_update(folder, listed(*entries), frozenset())
    assert (work.gone, work.changed) == (
        [b"file/below", b"gone", b"pipe", b"sub"],
        [b"file", b"link"],
    )


def test_file_grown_too_large_keeps_old_version(folder: Path) -> None:
    work = plan_index_update(folder, listed("C big"), frozenset())
    assert (work.gone, work.changed, work.skipped.large) == ([], [], [b"big"])


def test_unlisted_named_files_are_new(folder: Path) -> None:
    named = frozenset({b"file", b"sub/file", b"link/file", b"sub", b"pipe", b"gone"})
    work = plan_index_update(folder, listed("C file"), named)
    assert (work.changed, work.new) == ([b"file"], [NewFile(3, b"sub/file")])


def test_nested_repositories_include_listed_and_replaced_files(folder: Path) -> None:
    (folder / "sub" / ".git").mkdir()
    found = find_nested_repositories(folder, listed("? a/", "? b", "C sub", "C file", "R c"))
    assert found == {b"a/", b"sub/"}
