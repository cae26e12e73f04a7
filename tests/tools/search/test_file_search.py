"""A hit counts only where the file itself, opened beneath the project, has it."""

import os
import stat
import time
from pathlib import Path

import pytest

from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.search.file_search import confirm_hits, find_ripgrep, search_with_ripgrep
from maxagent.tools.search.python_search import Hit, Search, SearchResult
from maxagent.tools.workspace import Workspace


@pytest.fixture
def program() -> str:
    if not (ripgrep := find_ripgrep()):
        pytest.skip("ripgrep is not on this machine")
    return ripgrep


def ask(root: Path, names: list[str], pattern: str, seconds: float = 20) -> Search:
    return Search(Workspace(root), names, pattern, 100, time.monotonic() + seconds)


@pytest.mark.parametrize("pattern", ["(", "(?<=a)b", r"(a)\1", "interface{}"])
async def test_unknown_pattern_returns_none(program: str, tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a").write_text("ab aa interface{}\n")
    assert await search_with_ripgrep(program, ask(tmp_path, ["a"], pattern)) is None


async def test_user_and_project_settings_change_nothing(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text("--replace=gone\n")
    (tmp_path / ".ignore").write_text("*\n")
    (tmp_path / "a").write_text("found\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "config"))
    ripgrep = await search_with_ripgrep(program, ask(tmp_path, ["a"], "found"))
    assert ripgrep and [hit.text for hit in ripgrep.hits] == ["found"]


async def test_a_program_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    slow = tmp_path / "rg"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    ripgrep = await search_with_ripgrep(str(slow), ask(tmp_path, ["a"], "x", seconds=0.2))
    assert ripgrep and not ripgrep.complete


@pytest.mark.parametrize("code", [2, 127])
async def test_a_program_that_fails_is_not_believed(tmp_path: Path, code: int) -> None:
    broken = tmp_path / "rg"
    broken.write_text(f"#!/bin/sh\necho nonsense\nexit {code}\n")
    broken.chmod(0o755)
    assert await search_with_ripgrep(str(broken), ask(tmp_path, ["a"], "x")) is None


async def test_hits_in_unnamed_files_are_dropped(tmp_path: Path) -> None:
    liar = tmp_path / "rg"
    lines = [
        '{"type":"begin","data":{"path":{"text":"./.env"}}}',
        '{"type":"match","data":{"path":{"text":"./.env"},"lines":{"text":"KEY=1\\n"},'
        '"line_number":1,"submatches":[{"start":0,"end":1}]}}',
        '{"type":"end","data":{"path":{"text":"./.env"},"binary_offset":null}}',
    ]
    liar.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n")
    liar.chmod(0o755)
    ripgrep = await search_with_ripgrep(str(liar), ask(tmp_path, ["a"], "KEY"))
    assert ripgrep and ripgrep.hits == []


def test_program_is_found_only_on_absolute_path_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rg").write_text("#!/bin/sh\n")
    (tmp_path / "rg").chmod(stat.S_IRWXU)
    monkeypatch.setattr("sys.executable", str(tmp_path / "elsewhere/python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ripgrep() == str(tmp_path / "rg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.curdir)
    assert find_ripgrep() is None


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
    result, hashes = confirm_hits(search, SearchResult([*hits]))
    return result, dict(hashes)


def test_a_line_that_stands_there_counts(root: Path) -> None:
    result, hashes = check(root, Hit("a", 2, "key = 1", 0))
    assert result == SearchResult([Hit("a", 2, "key = 1", 0)])
    assert hashes == {"a": hash_content(b"one\nkey = 1\n")}


@pytest.mark.parametrize("target", [".env", "../outside"])
def test_a_line_from_behind_a_link_does_not(root: Path, target: str) -> None:
    (root / "a").unlink()
    (root / "a").symlink_to(target)
    assert check(root, Hit("a", 1, "key = hunter2", 0)) == (SearchResult([]), {})


def test_hit_through_a_vanished_link_is_corrected(root: Path) -> None:
    result, _ = check(root, Hit("a", 1, "key = hunter2", 0))
    assert result == SearchResult([Hit("a", 2, "key = 1", 0)])


def test_secret_file_under_another_name_shows_nothing(root: Path) -> None:
    (root / "notes").hardlink_to(root / ".env")
    assert check(root, Hit("notes", 1, "key = hunter2", 0)) == (SearchResult([]), {})


def test_file_in_own_encoding_is_read_whole(root: Path) -> None:
    (root / "a").write_bytes("# 这是配置文件\nkey = 文件\n".encode("gbk"))
    result, hashes = check(root, Hit("a", 2, "key = \ufffd", 0))
    assert [hit.text for hit in result.hits] == ["key = 文件"] and list(hashes) == ["a"]


def test_it_ends_in_time(root: Path) -> None:
    result, hashes = check(root, Hit("a", 2, "key = 2", 0), seconds=0)
    assert (result, hashes) == (SearchResult([], complete=False), {})
