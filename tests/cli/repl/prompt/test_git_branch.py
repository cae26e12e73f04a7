import os
import subprocess
from pathlib import Path

from maxagent.cli.repl.prompt.git_branch import read_branch


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e@x"]
    done = subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_branch_is_found_in_subfolder_worktree_and_detached(tmp_path: Path) -> None:
    folder = tmp_path / "project" / "deep"
    folder.mkdir(parents=True)
    assert read_branch(folder) == ""
    git(folder.parent, "init", "-q", "-b", "feature/x")
    assert read_branch(folder) == "feature/x"
    git(folder.parent, "commit", "-q", "--allow-empty", "-m", "x")
    git(folder.parent, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    assert read_branch(tmp_path / "tree") == "other"
    git(folder.parent, "checkout", "-q", "--detach")
    assert read_branch(folder) == git(folder.parent, "rev-parse", "HEAD")[:8]


def test_what_is_no_repository_names_none(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"\xff\xfe")
    assert read_branch(tmp_path) == ""


def test_pipe_instead_of_git_file_gives_no_branch(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert read_branch(tmp_path) == ""


def test_words_of_another_file_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "HEAD").write_text("a secret word\n")
    (tmp_path / ".git").write_text(f"gitdir: {tmp_path}\n")
    assert read_branch(tmp_path) == ""
