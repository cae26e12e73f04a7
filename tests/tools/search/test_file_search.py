"""A hit counts only where the file itself, opened beneath the project, has it."""

import time
from pathlib import Path

import pytest

from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.search.file_search import confirm_hits
from maxagent.tools.search.python_search import Hit, Search, SearchResult
from maxagent.tools.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a").write_text("one\nkey = 1\n")
    (root / ".env").write_text("key = hunter2\n")
    (tmp_path / "outside").write_text("key = hunter2\n")
    return root


def check(root: Path, *hits: Hit, seconds: float = 60) -> tuple[SearchResult, dict[str, str]]:
    search = Search(Workspace(root), ["a"], "key", 9, time.monotonic() + seconds)
    found, hashes = confirm_hits(search, SearchResult([*hits]))
    return found, dict(hashes)


def test_a_line_that_stands_there_counts(root: Path) -> None:
    found, hashes = check(root, Hit("a", 2, "key = 1", 0))
    assert found == SearchResult([Hit("a", 2, "key = 1", 0)])
    assert hashes == {"a": hash_content(b"one\nkey = 1\n")}


@pytest.mark.parametrize("target", [".env", "../outside"])
def test_a_line_from_behind_a_link_does_not(root: Path, target: str) -> None:
    (root / "a").unlink()
    (root / "a").symlink_to(target)
    assert check(root, Hit("a", 1, "key = hunter2", 0)) == (SearchResult([]), {})


def test_hit_through_a_vanished_link_is_corrected(root: Path) -> None:
    found, _ = check(root, Hit("a", 1, "key = hunter2", 0))
    assert found == SearchResult([Hit("a", 2, "key = 1", 0)])


def test_secret_file_under_another_name_shows_nothing(root: Path) -> None:
    (root / "notes").hardlink_to(root / ".env")
    assert check(root, Hit("notes", 1, "key = hunter2", 0)) == (SearchResult([]), {})


def test_file_in_own_encoding_is_read_whole(root: Path) -> None:
    (root / "a").write_bytes("# 这是配置文件\nkey = 文件\n".encode("gbk"))
    found, hashes = check(root, Hit("a", 2, "key = \ufffd", 0))
    assert [hit.text for hit in found.hits] == ["key = 文件"] and list(hashes) == ["a"]


def test_it_ends_in_time(root: Path) -> None:
    found, hashes = check(root, Hit("a", 2, "key = 2", 0), seconds=0)
    assert (found, hashes) == (SearchResult([], complete=False), {})
