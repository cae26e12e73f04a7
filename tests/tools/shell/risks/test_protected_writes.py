import shlex
from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.shell_state import Word
from maxagent.tools.shell.parsing.simple_command import SimpleCommand
from maxagent.tools.shell.risks.protected_writes import find_separate_git_dir, find_steering_change


def step(line: str, folder: Path | None = None) -> SimpleCommand:
    return SimpleCommand(tuple(map(Word, shlex.split(line))), folder)


@pytest.mark.parametrize(
    "line",
    ["user.name A", "--local user.email a@b", "--unset user.name", "push.default simple"]
    + ["--type=bool core.filemode false", "branch.main.merge refs/heads/main", "set pull.rebase 1"]
    + ["core.editor", "get alias.x", "--get core.hooksPath", "list", "-l", ""],
)
def test_reading_settings_and_changing_plain_ones_steers_nothing(line: str) -> None:
    assert find_steering_change(step(f"git config {line}")) == ""


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("core.hooksPath x", "core.hooksPath"),
        ("set alias.x '!y'", "alias.x"),
        ("--add core.fsmonitor x", "core.fsmonitor"),
        ("--unset core.hooksPath", "core.hooksPath"),
        ("unset core.hooksPath", "core.hooksPath"),
        ("gc.recentObjectsHook x", "gc.recentObjectsHook"),
        ("init.templateDir x", "init.templateDir"),
        ("safe.directory *", "safe.directory"),
        ("branch.main.remote ext::x", "branch.main.remote"),
        ("--rename-section user alias", "--rename-section"),
        ("-f x.cfg user.name A", "x.cfg"),
        ("--global user.name A", "--global"),
        ("edit", "edit"),
    ],
)
def test_any_other_setting_may_start_a_program(line: str, word: str) -> None:
    assert find_steering_change(step(f"git config {line}")) == f"git config {word}"
    assert (
        find_steering_change(step(f"git -C sub --no-pager config {line}")) == f"git config {word}"
    )


def test_files_of_another_commit_may_steer(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").touch()
    assert find_steering_change(step("git checkout main -- .", tmp_path)) == "AGENTS.md"
    assert find_steering_change(step("git -C . checkout main -- .", tmp_path)) == "AGENTS.md"
    assert find_steering_change(step("git checkout -- .", tmp_path)) == ""
    assert find_steering_change(step("git restore '*.md'", tmp_path)) == "AGENTS.md"


@pytest.mark.parametrize("line", ["git init --separate-git-dir x", "git -C y clone --sep=x a b"])
def test_a_repository_may_be_kept_elsewhere(line: str) -> None:
    assert find_separate_git_dir(step(line)) == "x"
    assert find_separate_git_dir(step("git log --separate-git-dir x")) == ""
