"""What the listing tools have in common."""

from pathlib import Path

import pytest

from maxagent.tools.filesystem.listing import format_entries, resolve_existing, resolve_folder
from maxagent.tools.filesystem.walk import walk
from maxagent.tools.result import ToolError
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    for name in ["src/config.py", "src/deep/settings.py", "tests/test_config.py", ".git/config"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("config.py", "did you mean `src/config.py`"),
        ("src/settings.py", "did you mean `src/deep/settings.py`?"),
        ("src/deep/setings.py", "did you mean `src/deep/settings.py`?"),
        ("src/unheard-of", "`glob` finds files by name"),
        ("two\nlines", "`two\\nlines` does not exist"),
    ],
)
def test_missing_file_is_refused_with_similar_names(
    workspace: Workspace, path: str, hint: str
) -> None:
    with pytest.raises(ToolError, match="does not exist") as refusal:
        resolve_existing(workspace, path)
    assert hint in str(refusal.value)


def test_secret_names_are_never_suggested(workspace: Workspace) -> None:
    (workspace.root / ".env").write_text("KEY=1")
    with pytest.raises(ToolError) as refusal:
        resolve_existing(workspace, "env")
    assert ".env" not in str(refusal.value)


def test_file_and_git_folder_are_not_listed(workspace: Workspace) -> None:
    assert resolve_folder(workspace, "src") == workspace.root / "src"
    with pytest.raises(ToolError, match="`read_file`"):
        resolve_folder(workspace, "src/config.py")
    with pytest.raises(ToolError, match="git tools"):
        resolve_folder(workspace, ".git")


def test_entries_are_shown_one_a_line(workspace: Workspace) -> None:
    root = workspace.root
    (root / "a\nb").write_text("")
    (root / "link").symlink_to("src/config.py")
    entries = list(walk(workspace, root, deep=False))
    assert format_entries(entries, 9, "") == "a\\nb\nlink -> src/config.py\nsrc/\ntests/"
    assert format_entries(entries, 2, "be quick") == (
        "a\\nb\nlink -> src/config.py\n[there are more than 2; be quick]"
    )
    assert format_entries(entries, 4, "").count("\n") == 3
    assert format_entries([], 4, "").startswith("[nothing found")
