"""What a repository's own files say, as git wrote them."""

import subprocess
from pathlib import Path

from maxagent.memory.cards.repository import find_repository


def run_git(folder: Path, *arguments: str) -> str:
    names = ["-c", "user.name=n", "-c", "user.email=e@x"]
    return subprocess.run(
        ["git", "-C", folder, *names, *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


def test_commits_are_those_that_git_says(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    assert find_repository(tmp_path).read_commits() == []
    names: list[str] = []
    for number in range(3):
        run_git(tmp_path, "commit", "-q", "--allow-empty", "-m", str(number))
        names.append(run_git(tmp_path, "rev-parse", "HEAD"))
    assert find_repository(tmp_path).read_commits() == names


def test_first_remote_is_read_as_it_stands(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    assert find_repository(tmp_path).read_remote() == ""
    run_git(tmp_path, "remote", "add", "origin", "https://a.example/x%20y.git")
    run_git(tmp_path, "remote", "add", "upstream", "https://b.example/x.git")
    assert find_repository(tmp_path).read_remote() == "https://a.example/x%20y.git"
