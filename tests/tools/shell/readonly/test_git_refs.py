import subprocess
from pathlib import Path

import pytest

from maxagent.tools.shell.readonly.git_refs import find_hashes

ONE, OTHER = "1" * 40, "2" * 40


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    for place, text in {
        "HEAD": "ref: refs/heads/main\n",
        "FETCH_HEAD": f"{OTHER}\t\tbranch 'x' of y\n",
        "refs/heads/main": f"{ONE}\n",
        "refs/tags/both": f"{ONE}\n",
        "refs/heads/a/b": f"{OTHER}\n",
        "packed-refs": f"# peeled\n{OTHER} refs/tags/old\n^{ONE}\n{OTHER} refs/heads/both\n",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("HEAD", {ONE}),
        ("FETCH_HEAD", {OTHER}),
        ("main", {ONE}),
        ("heads/main", {ONE}),
        ("a/b", {OTHER}),
        ("old", {OTHER}),
        ("refs/tags/old", {OTHER}),
        ("both", {ONE, OTHER}),
        ("a", set()),
        ("new", set()),
        ("", set()),
    ],
)
def test_a_name_means_all_that_bears_it(name: str, meant: set[str], git_dir: Path) -> None:
    assert find_hashes(name, git_dir, git_dir) == meant


def test_a_circle_of_names_ends(git_dir: Path) -> None:
    (git_dir / "refs/heads/main").write_text("ref: refs/heads/main")
    assert find_hashes("main", git_dir, git_dir) == set()


def test_a_table_of_references_is_not_understood(git_dir: Path) -> None:
    (git_dir / "reftable").mkdir()
    with pytest.raises(ValueError, match="table"):
        find_hashes("main", git_dir, git_dir)


def test_a_worktree_s_own_names_are_known(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        done = subprocess.run(
            ["git", *person, *words], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x")
    git("worktree", "add", "-q", "-b", "two", "sub")
    common = tmp_path / ".git"
    assert find_hashes("HEAD", common / "worktrees/sub", common) == {git("rev-parse", "two")}
