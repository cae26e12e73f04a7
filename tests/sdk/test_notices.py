from pathlib import Path

import pytest

from maxagent.sdk.notices import notices


def test_in_a_repository_nothing_is_missing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert notices(tmp_path, None) == []
    assert notices(tmp_path / "below", None) == []


def test_outside_a_repository_it_is_said_what_is_lost(tmp_path: Path) -> None:
    (told,) = notices(tmp_path, None)
    assert f"`{tmp_path}` is in no git repository" in told and "no history" in told


def test_without_git_it_is_said_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    (told,) = notices(tmp_path, None)
    assert told.startswith("git is not installed") and "undone" in told


def test_a_damaged_database_is_told_first(tmp_path: Path) -> None:
    told = notices(tmp_path, Path("/data/threads.db.corrupt"))
    assert "`/data/threads.db.corrupt`" in told[0]
