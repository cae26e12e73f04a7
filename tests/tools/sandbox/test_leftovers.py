import json
import os
from pathlib import Path

import pytest

from maxagent.tools.sandbox.leftovers import remove_leftovers

NAMES = (".llc.yaml", ".github", ".github/workflows", ".git/commondir", "used", "gone")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    project, store = tmp_path / "project", tmp_path / "store"
    for name in (".llc.yaml", ".github/workflows", ".git", "used"):
        (project / name).mkdir(parents=True)
    (project / ".git" / "commondir").write_text(".\n")
    (project / "used" / "file").write_text("")
    store.mkdir()
    lines = [json.dumps(str(project / name)) for name in NAMES]
    (store / "ledger").write_text("\n".join([*lines, "{torn"]))
    return store


def test_unused_folders_of_old_versions_are_removed(store: Path) -> None:
    remove_leftovers(store)
    project = store.parent / "project"
    assert sorted(os.listdir(project)) == [".git", "used"] and not store.exists()
    assert os.listdir(project / ".git") == []


def test_missing_ledger_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    remove_leftovers(tmp_path)
    assert os.listdir(tmp_path) == ["file"]
