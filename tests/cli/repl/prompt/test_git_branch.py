import os
import subprocess
from pathlib import Path

from maxagent.cli.repl.prompt.git_branch import git_branch


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e@x"]
    done = subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_the_branch_is_found_from_below_from_a_worktree_and_without_one(tmp_path: Path) -> None:
    folder = tmp_path / "project" / "deep"
    folder.mkdir(parents=True)
    assert git_branch(folder) == ""
    git(folder.parent, "init", "-q", "-b", "feature/x")
    assert git_branch(folder) == "feature/x"
    git(folder.parent, "commit", "-q", "--allow-empty", "-m", "x")
    git(folder.parent, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    assert git_branch(tmp_path / "tree") == "other"
    git(folder.parent, "checkout", "-q", "--detach")
    assert git_branch(folder) == git(folder.parent, "rev-parse", "HEAD")[:8]


def test_what_is_no_repository_names_none(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"\xff\xfe")
    assert git_branch(tmp_path) == ""


def test_a_pipe_in_the_place_of_a_file_is_no_branch(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert git_branch(tmp_path) == ""


def test_words_of_another_file_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "HEAD").write_text("a secret word\n")
    (tmp_path / ".git").write_text(f"gitdir: {tmp_path}\n")
    assert git_branch(tmp_path) == ""
