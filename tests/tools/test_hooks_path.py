import os
import subprocess
from pathlib import Path

import pytest

from maxagent.tools.hooks_path import hooks_folder, is_hook


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    git(tmp_path, "init", "-q", str(root))
    return root


def git(folder: Path, *arguments: str) -> None:
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=folder, env=environ, check=True)


@pytest.mark.parametrize(
    ("named", "found"),
    [(".myhooks", ".myhooks"), ("a b/c", "a b/c"), ("/etc", None), ("..", None), (".", None)],
)
def test_the_folder_is_what_git_would_take(checkout: Path, named: str, found: str | None) -> None:
    git(checkout, "config", "core.hooksPath", named)
    assert hooks_folder(checkout) == (checkout / found if found else None)


@pytest.mark.parametrize(
    "written",
    [
        "[core]\n\thooksPath = dev/hk # as in CONTRIBUTING",
        '[core]\n\tHOOKSPATH="dev/hk" ; so',
        "[core] hooksPath = dev/hk",
        "[core]\r\n\thooksPath = dev/hk\r",
        '[core]\n\thooksPath = "dev"/hk',
        "[core]\n\thooksPath = dev/\\\nhk",
        "[core]\n\thooksPath = a\n\thooksPath = dev/hk\n[other]\n\thooksPath = b",
        '[core]\n\thooksPath = dev/hk\n[core "x"]\n\thooksPath = b',
    ],
)
def test_a_setting_is_read_as_git_reads_it(checkout: Path, written: str) -> None:
    with (checkout / ".git/config").open("a", newline="") as config:
        config.write(f"{written}\n")
    command = ["git", "rev-parse", "--git-path", "hooks"]
    said = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "dev/hk"
    assert hooks_folder(checkout) == checkout / "dev/hk"


@pytest.mark.parametrize(
    "written",
    [
        "# kept in C:\\hooks\\\n hooksPath = .hk",
        " hooksPath = .hk ; not C:\\hooks\\\n bare = false",
        ' hooksPath = .hk # as in "dev"',
        " hooksPath = a\\\\\n hooksPath = .hk",
        " hooksPath = .hk\\\\\n bare = false",
        " hooksPath = .hk\\\\\\\n/deep",
        ' hooksPath = "a # \\\nb"',
        ' hooksPath = ".hk "  # so',
        " hooksPath = \\\n  .hk  \\\n",
        " hooksPath = .hk\\",
        ' x = "# \\""\n hooksPath = .hk',
        " x = a\\\n hooksPath = .other",
        ' x = a # " \\\n hooksPath = .hk',
    ],
)
@pytest.mark.parametrize("before", ["[core]\n", "\ufeff[core] # \\\n"])
def test_a_line_ends_where_it_ends_for_git(tmp_path: Path, before: str, written: str) -> None:
    (tmp_path / ".git").mkdir()
    config = tmp_path / ".git/config"
    config.write_text(f"{before}{written}")
    command = ["git", "config", "--file", str(config), "-z", "--get", "core.hooksPath"]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.stderr == ""
    assert hooks_folder(tmp_path) == (tmp_path / said.stdout.rstrip("\0") if said.stdout else None)


def test_a_folder_of_a_checkout_may_hold_the_hooks_of_all(checkout: Path) -> None:
    git(checkout, "config", "core.hooksPath", "web/hk")
    (checkout / "web/hk").mkdir(parents=True)
    assert is_hook(checkout / "web", "hk/pre-push")
    assert hooks_folder(checkout / "docs") is None


def test_hooks_that_the_user_s_own_configuration_names_count(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[core]\n\thooksPath = .dev\n")
    assert is_hook(checkout, ".dev/pre-commit")
    git(checkout, "config", "core.hooksPath", "own")
    assert hooks_folder(checkout) == checkout / "own"


def test_without_the_setting_or_without_git_there_is_none(checkout: Path, tmp_path: Path) -> None:
    assert hooks_folder(checkout) is hooks_folder(tmp_path) is None


def test_a_pipe_in_its_place_holds_nobody(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git/config")
    assert hooks_folder(tmp_path) is None


def test_hooks_are_the_folder_and_what_is_in_it(checkout: Path) -> None:
    git(checkout, "config", "core.hooksPath", ".myhooks")
    paths = (".myhooks", ".myhooks/pre-commit", "./.myhooks/x", ".myhooks2/x", "src/a.py")
    assert [is_hook(checkout, path) for path in paths] == [True, True, True, False, False]
