"""ripgrep gets exactly the files that it may read. What it finds: see test_line_search."""

import os
import stat
import time
from pathlib import Path

import pytest

from maxagent.tools.search.python_search import Search
from maxagent.tools.search.ripgrep import find_ripgrep, search_with_ripgrep
from maxagent.tools.workspace import Workspace


@pytest.fixture
def program() -> str:
    if not (found := find_ripgrep()):
        pytest.skip("ripgrep is not on this machine")
    return found


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
    found = await search_with_ripgrep(program, ask(tmp_path, ["a"], "found"))
    assert found and [hit.text for hit in found.hits] == ["found"]


async def test_a_program_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    slow = tmp_path / "rg"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    found = await search_with_ripgrep(str(slow), ask(tmp_path, ["a"], "x", seconds=0.2))
    assert found and not found.complete


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
    found = await search_with_ripgrep(str(liar), ask(tmp_path, ["a"], "KEY"))
    assert found and found.hits == []


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
