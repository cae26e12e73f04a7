import os
import subprocess
from pathlib import Path

import pytest

from maxagent.config.git.program_settings import names_program
from maxagent.config.git.repository import find_git_folders, read_program_sources


def git(folder: Path, *arguments: str) -> None:
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}
    identity = ("-c", "user.name=x", "-c", "user.email=x@y")
    subprocess.run(["git", *identity, *arguments], cwd=folder, env=environ, check=True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


@pytest.fixture
def checkout(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "project"
    git(tmp_path, "init", "-q", str(folder))
    return folder


def write_hook(folder: Path, name: str = "pre-commit", mode: int = 0o755) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(mode)


def hooks(folder: Path) -> list[str]:
    sources = read_program_sources(folder)
    assert sources and not sources.unknown
    return [os.path.relpath(path, sources.top) for path in sources.files]


def test_only_executable_hooks_without_sample_are_active(checkout: Path) -> None:
    write_hook(checkout / ".git/hooks")
    write_hook(checkout / ".git/hooks", "pre-push", 0o644)
    write_hook(checkout / ".git/hooks", "commit-msg.sample")
    assert hooks(checkout) == [".git/hooks/pre-commit"]


def test_the_hook_folder_of_the_configuration_counts(checkout: Path) -> None:
    write_hook(checkout / ".git/hooks")
    write_hook(checkout / "dev", "pre-push")
    git(checkout, "config", "core.hooksPath", "dev")
    assert hooks(checkout) == ["dev/pre-push"]


def test_a_users_relative_hook_folder_is_the_repositorys(checkout: Path, home: Path) -> None:
    write_hook(checkout / ".githooks")
    (home / ".gitconfig").write_text("[core]\nhooksPath = .githooks\n")
    assert hooks(checkout) == [".githooks/pre-commit"]


def test_a_users_own_hook_folder_is_not_listed(checkout: Path, home: Path) -> None:
    write_hook(home / "hooks")
    write_hook(checkout / ".git/hooks")
    (home / ".gitconfig").write_text("[core]\nhooksPath = ~/hooks\n")
    assert hooks(checkout) == []


def test_what_huskys_hooks_run_is_listed(checkout: Path) -> None:
    write_hook(checkout / ".husky/_")
    write_hook(checkout / ".husky", "pre-commit", 0o644)
    git(checkout, "config", "core.hooksPath", ".husky/_")
    assert hooks(checkout) == [".husky/_/pre-commit", ".husky/pre-commit"]


def test_a_linked_worktree_has_its_repositorys_settings(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "commit", "-q", "--allow-empty", "-m", "x")
    git(checkout, "worktree", "add", "-q", str(tmp_path / "linked"))
    write_hook(checkout / ".git/hooks")
    git(checkout, "config", "gpg.program", "evil")
    sources = read_program_sources(tmp_path / "linked")
    assert sources and [entry.value for entry in sources.entries if entry.section == "gpg"]
    assert [path.name for path in sources.files] == ["pre-commit"]
    assert find_git_folders(tmp_path / "linked")[1] == checkout / ".git"


def test_settings_of_included_files_and_submodules_are_read(checkout: Path) -> None:
    git(checkout, "config", "include.path", "../more")
    (checkout / "more").write_text("[gpg]\nprogram = a\n")
    module = checkout / ".git/modules/sub"
    module.mkdir(parents=True)
    (module / "HEAD").write_text("x")
    (module / "config").write_text("[core]\nfsmonitor = b\n")
    sources = read_program_sources(checkout / ".")
    assert sources
    assert {("gpg", "a"), ("core", "b")} <= {(e.section, e.value) for e in sources.entries}


@pytest.fixture
def linked(checkout: Path, tmp_path: Path) -> Path:
    """A linked worktree with a submodule that has one in it, as git makes them."""
    allow = ("-c", "protocol.file.allow=always")
    for name in ("inner", "outer"):
        git(tmp_path, "init", "-q", name)
    git(tmp_path / "inner", *allow, "commit", "-q", "--allow-empty", "-m", "x")
    git(tmp_path / "outer", *allow, "submodule", "--quiet", "add", str(tmp_path / "inner"), "in")
    git(tmp_path / "outer", *allow, "commit", "-q", "-m", "x")
    git(checkout, *allow, "submodule", "--quiet", "add", str(tmp_path / "outer"), "lib/sub")
    git(checkout, *allow, "commit", "-q", "-m", "x")
    git(checkout, "worktree", "add", "-q", str(tmp_path / "linked"))
    git(tmp_path / "linked", *allow, "submodule", "--quiet", "update", "--init", "--recursive")
    return tmp_path / "linked"


@pytest.mark.parametrize("start", ["linked", "checkout", "linked/lib"])
@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("linked/lib/sub", ()),
        ("linked/lib/sub/in", ()),
        ("linked/lib/sub", ("--worktree",)),
        ("checkout/lib/sub", ()),
        ("linked", ("--worktree",)),
    ],
)
def test_setting_of_each_worktrees_submodule_is_read(
    linked: Path, checkout: Path, start: str, module: str, options: tuple[str, ...]
) -> None:
    folders = {"linked": linked, "checkout": checkout}
    name, _, below = module.partition("/")
    folder = folders[name] / below
    if options:
        git(folder, "config", "extensions.worktreeConfig", "true")
    git(folder, "config", *options, "core.fsmonitor", "evil")
    name, _, below = start.partition("/")
    sources = read_program_sources(folders[name] / below)
    assert sources and "evil" in [entry.value for entry in sources.entries if names_program(entry)]


@pytest.mark.parametrize("start", ["linked", "linked/lib", "checkout"])
def test_submodules_of_a_worktree_start_nothing(linked: Path, checkout: Path, start: str) -> None:
    name, _, below = start.partition("/")
    sources = read_program_sources({"linked": linked, "checkout": checkout}[name] / below)
    assert sources and not [entry for entry in sources.entries if names_program(entry)]


@pytest.mark.parametrize("target", ["/", "/etc", "..", "../../../../../../other", "../../.."])
def test_submodule_of_a_worktree_stays_in_it(linked: Path, checkout: Path, target: str) -> None:
    config = checkout / ".git/worktrees/linked/modules/lib/sub/config"
    git(linked, "config", "--file", str(config), "core.worktree", target)
    sources = read_program_sources(linked)
    assert sources and target in [e.value for e in sources.entries if names_program(e)]


def test_a_folder_without_repository_has_none(tmp_path: Path, home: Path) -> None:
    assert read_program_sources(tmp_path) is None
