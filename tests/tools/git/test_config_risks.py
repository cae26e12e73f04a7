import os
import subprocess
from pathlib import Path

import pytest

from maxagent.config.git.config_reader import MAX_BYTES, MAX_FILES
from maxagent.tools.git.config_risks import GitConfigRisks, can_steer_git, find_config_risks
from maxagent.tools.result import ToolError
from maxagent.tools.sandbox.profile_builder import build_profile
from maxagent.tools.sandbox.project_scan import GuardedFiles
from maxagent.tools.workspace import Workspace


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    git(tmp_path, "init", "-q", str(root))
    return root


def hooks(root: Path) -> list[Path]:
    return find_config_risks(root).hooks


def git(folder: Path, *arguments: str) -> None:
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=folder, env=environ, check=True)


def include(path: str, condition: str = "") -> str:
    return (
        f'[includeIf "{condition}"]\npath = {path}\n' if condition else f"[include]\npath={path}\n"
    )


def hook(folder: str) -> str:
    return f"[core]\n hooksPath = {folder}\n"


@pytest.mark.parametrize(
    ("text", "result"),
    [(".myhooks", ".myhooks"), ("a b/c", "a b/c"), ("/etc", None), ("..", None)],
)
def test_the_folder_is_what_git_would_take(checkout: Path, text: str, result: str | None) -> None:
    git(checkout, "config", "core.hooksPath", text)
    assert hooks(checkout) == ([checkout / result] if result else [])


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
    result = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True)
    assert result.stdout.strip() == "dev/hk"
    assert hooks(checkout) == [checkout / "dev/hk"]


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
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stderr == ""
    assert hooks(tmp_path) == ([tmp_path / result.stdout.rstrip("\0")] if result.stdout else [])


def test_subfolder_may_hold_hooks_of_whole_checkout(checkout: Path) -> None:
    git(checkout, "config", "core.hooksPath", "web/hk")
    (checkout / "web/hk").mkdir(parents=True)
    assert can_steer_git(checkout / "web", "hk/pre-push")
    assert hooks(checkout / "docs") == []


def test_hooks_from_user_configuration_count(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[core]\n\thooksPath = .dev\n")
    assert can_steer_git(checkout, ".dev/pre-commit")
    git(checkout, "config", "core.hooksPath", "own")
    assert hooks(checkout) == [checkout / "own"]


@pytest.mark.parametrize(
    ("configs", "names", "included"),
    [
        ({"config": include("../shared/git"), "../shared/git": hook("hk")}, ["hk"], ["shared/git"]),
        ({"config": include("x"), "x": include("y"), "y": hook("hk")}, ["hk"], []),
        ({"config": include("x") + hook("b"), "x": hook("a")}, ["b"], []),
        ({"config": hook("a") + include("x"), "x": hook("b")}, ["b"], []),
        ({"config": include("~/x"), "../../home/x": hook("b")}, ["b"], []),
        ({"config": include("x", "onbranch:b") + hook("a"), "x": hook("b")}, ["a"], []),
        ({"config": hook("a") + include("x", "gitdir:/"), "x": hook("b")}, ["a", "b"], []),
        ({"config": include("x", "gitdir:/"), "x": include("y"), "y": hook("b")}, ["b"], []),
        ({"config": hook("a") + include("../none")}, ["a"], ["none"]),
        ({"config": hook("a") + include("../pipe")}, ["a"], ["pipe"]),
        ({"config": hook("a") + include("config") * MAX_FILES}, ["a"], []),
        ({"config": include("..")}, [], []),
    ],
)
def test_what_a_configuration_includes_is_followed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    configs: dict[str, str],
    names: list[str],
    included: list[str],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    for folder in (tmp_path / "home", root / ".git", root / "shared"):
        folder.mkdir(parents=True)
    os.mkfifo(root / "pipe")
    for name, text in configs.items():
        (root / ".git" / name).write_text(text)
    config_risks = find_config_risks(root)
    assert config_risks.hooks == [root / item for item in names]
    assert [item for item in config_risks.included if item.parent != root / ".git"] == [
        root / item for item in included
    ]
    assert all(can_steer_git(root, item) for item in included)


def test_no_risks_without_setting_or_repository(checkout: Path, tmp_path: Path) -> None:
    assert find_config_risks(checkout) == find_config_risks(tmp_path) == GitConfigRisks()


def test_a_pipe_in_its_place_holds_nobody(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git/config")
    assert find_config_risks(tmp_path) == GitConfigRisks()


@pytest.mark.parametrize(
    "written",
    [
        f"[core{' ' * 200_000}\n",
        include("a" * 5_000),
        "[a]" * 300_000 + "\n",
        "[a]\nb = " + 'a \\"' * 200_000 + "\n",
    ],
)
def test_nor_does_what_git_would_not_read(checkout: Path, written: str) -> None:
    (checkout / ".git/config").write_text(written + hook(".myhooks"))
    assert hooks(checkout) == [checkout / ".myhooks"]
    assert not find_config_risks(checkout).unknown


@pytest.mark.parametrize(
    "written",
    [
        hook("a\0b"),
        include("a\0b"),
        f"#{'x' * MAX_BYTES}\n" + hook(".myhooks"),
        include("config") + "#" * (MAX_BYTES // 2),
        include("a/b") * 20_000,
        include("other", "gitdir:/"),
    ],
    ids=["no path", "no file", "too large", "too large together", "too many", "too many hooks"],
)
def test_any_path_may_steer_unreadable_configuration(checkout: Path, written: str) -> None:
    (checkout / ".git/config").write_text(written)
    (checkout / ".git/other").write_text(hook("a") * 70_000)
    config_risks = find_config_risks(checkout)
    assert (
        config_risks.unknown and len(config_risks.hooks) + len(config_risks.included) <= MAX_FILES
    )
    assert can_steer_git(checkout, "src/a.py")
    with pytest.raises(ToolError, match="outside_sandbox"):
        build_profile(Workspace(checkout), GuardedFiles(), home=checkout.parent / "home")


def test_hooks_include_folder_and_its_contents(checkout: Path) -> None:
    git(checkout, "config", "core.hooksPath", ".myhooks")
    paths = (".myhooks", ".myhooks/pre-commit", "./.myhooks/x", ".myhooks2/x", "src/a.py")
    assert [can_steer_git(checkout, path) for path in paths] == [True, True, True, False, False]


@pytest.mark.parametrize("folder", [".", "./", "src/..", "@/", "%(root)s"])
def test_hooks_beside_other_files_are_known_by_name(checkout: Path, folder: str) -> None:
    (checkout / "src").mkdir()
    folder = folder.replace("%(root)s", str(checkout)).replace("@/", f"{checkout}/")
    git(checkout, "config", "core.hooksPath", folder)
    (checkout / "pre-commit").write_text("#!/bin/sh\necho run >> ran\n")
    (checkout / "pre-commit").chmod(0o755)
    person = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    if folder not in (".", "./"):  # these git 2.39 looks for in `PATH`
        git(checkout, *person, "commit", "-q", "--allow-empty", "-m", "x")
        assert (checkout / "ran").exists()
    paths = ("pre-commit", "post-checkout", "update", "src/pre-commit", "a.py")
    assert [can_steer_git(checkout, path) for path in paths] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("layout", "path"),
    [
        ("separate", "meta/git/config"),
        ("separate", "meta/git/hooks/pre-commit"),
        ("separate", "meta/git/commondir"),
        ("separate", "meta/git/config.worktree"),
        ("GIT_CONFIG_GLOBAL=dev.cfg", "dev.cfg"),
        ("GIT_CONFIG_GLOBAL=./conf/dev.cfg", "conf/dev.cfg"),
        ("GIT_CONFIG_SYSTEM=dev.cfg", "dev.cfg"),
        ("XDG_CONFIG_HOME=@/conf", "conf/git/config"),
        ("link", "dot/gitconfig"),
    ],
)
def test_configurations_outside_of_the_git_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, path: str
) -> None:
    root, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (root / "meta").mkdir(parents=True)
    options = ("--separate-git-dir", str(root / "meta/git")) if layout == "separate" else ()
    git(tmp_path, "init", "-q", *options, str(root))
    if layout == "link":
        (home / ".gitconfig").symlink_to(root / "dot/gitconfig")
    elif "=" in layout:
        name, _, value = layout.partition("=")
        monkeypatch.setenv(name, value.replace("@", str(root)))
    assert can_steer_git(root, path)
    assert not can_steer_git(root, "src/a.py")
    assert find_config_risks(root).hooks == []


def link_relative(worktree: Path, git_dir: Path) -> None:
    """As `worktree.useRelativePaths` of git 2.48 lays it out."""
    (git_dir / "gitdir").write_text(f"{os.path.relpath(worktree / '.git', git_dir)}\n")
    (worktree / ".git").write_text(f"gitdir: {os.path.relpath(git_dir, worktree)}\n")


@pytest.mark.parametrize(
    "layout",
    ["plain", "worktree", "relative", "separate", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"],
)
def test_hooks_that_git_would_run_are_found(
    layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, config, setting = tmp_path / "project", tmp_path / "config", ("core.hooksPath", "ci/git")
    options = ("--separate-git-dir", str(tmp_path / "elsewhere")) if layout == "separate" else ()
    git(tmp_path, "init", "-q", *options, str(root))
    if layout.startswith("GIT_"):
        config.write_text(hook("ci/git"))
        monkeypatch.setenv(layout, str(config))
    else:
        git(root, "config", *setting)
    if layout in ("worktree", "relative"):
        user = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        git(root, *user, "commit", "-q", "--allow-empty", "-m", "x")
        git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
        git_dir, root = root / ".git/worktrees/tree", tmp_path / "tree"
        if layout == "relative":
            link_relative(root, git_dir)
    asked = subprocess.run(
        ["git", "rev-parse", "--git-path", "hooks"], cwd=root, capture_output=True, text=True
    )
    assert root / asked.stdout.strip() == root / "ci/git"
    assert can_steer_git(root, "ci/git/pre-commit")
    assert not can_steer_git(root, "ci/other")
