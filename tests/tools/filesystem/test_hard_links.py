"""A hidden file's other names are known where a search for them costs little."""

from pathlib import Path

import pytest

from maxagent.tools.filesystem.hard_links import has_hidden_name
from maxagent.tools.workspace import Workspace


@pytest.mark.parametrize(
    ("other", "name", "hidden"),
    [
        (".env", "notes.txt", True),
        (".env", "deep/er/notes.txt", True),
        ("deep/.env", "deep/er/notes.txt", True),
        ("secrets/prod.txt", "deep/notes.txt", True),
        (".git/config", "notes.txt", True),
        ("a.txt", "b.txt", False),
        ("deep/a.txt", "b.txt", False),
        (".env.example", "b.txt", False),
    ],
)
def test_only_a_hidden_name_counts(tmp_path: Path, other: str, name: str, hidden: bool) -> None:
    for location in (other, name):
        (tmp_path / location).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / other).write_text("x")
    (tmp_path / name).hardlink_to(tmp_path / other)
    status = (tmp_path / name).stat()
    assert has_hidden_name(Workspace(tmp_path), name, status) is hidden


def test_file_of_one_name_needs_no_search(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    missing = Workspace(tmp_path / "gone")
    assert not has_hidden_name(missing, "a", (tmp_path / "a").stat())
