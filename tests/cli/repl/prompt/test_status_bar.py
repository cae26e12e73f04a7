import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from maxagent.cli.repl.prompt.status_bar import Status, format_status, read_branch

FULL = Status(
    model="openai/gpt-9",
    agent="explore",
    mode="edits",
    sandbox="bubblewrap, no network",
    used=0.123,
    cost=1.5,
    branch="topic",
)


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXAGENT_LANG", "en")


@pytest.mark.parametrize(
    "status, columns, words",
    [
        (Status(), 80, "build"),
        (FULL, 80, "gpt-9 · @explore · edits allowed · context 12% · $1.50 · topic"),
        (FULL, 60, "gpt-9 · @explore · edits allowed · context 12% · $1.50"),
        (FULL, 40, "@explore · edits allowed · context 12%"),
        (replace(FULL, cost=0.004), 80, "gpt-9 · @explore · edits allowed · context 12% · topic"),
        (Status(mode="ask", thinking="auto", effort="auto"), 80, "asks first"),
        (Status(mode="auto", thinking="enabled", effort="high"), 80, "auto · thinking: on (high)"),
        (Status(mode="read-only", thinking="disabled"), 80, "read-only · thinking: off"),
        (FULL, 10, "edits allowed"),
        (Status(plan=True, sandbox="none: it is switched off"), 80, "plan mode · no sandbox"),
        (replace(FULL, custom="mine"), 80, "mine · edits allowed"),
        (replace(FULL, custom="a long line of one's own"), 30, "a long line… · edits allowed"),
        (replace(FULL, custom="mine", plan=True), 9, "plan mode"),
        (Status(branch="a\x1b]0;b\nc"), 80, "build · a\\x1b]0;b c"),
    ],
)
def test_status_shows_as_much_as_fits(status: Status, columns: int, words: str) -> None:
    assert format_status(status, columns) == words


def test_wide_characters_take_two_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXAGENT_LANG", "zh")
    for columns in range(20, 80):
        assert (
            cell_len(format_status(Status(model="模型/很长的名字", branch="分支"), columns))
            < columns
        )


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e@x"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
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
