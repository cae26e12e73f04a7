"""Go's build cache of tests in the sandbox: one a project, shared with its worktrees."""

import os
from pathlib import Path

import pytest

from maxagent.tools.sandbox.sandbox import Backend, Sandbox
from maxagent.tools.testing.caches import locate_project_caches, make_caches
from maxagent.tools.testing.command import Framework, TestCommand
from maxagent.tools.workspace import Workspace


@pytest.mark.parametrize(
    ("framework", "backend", "writable", "has_cache"),
    [
        ("go", "bubblewrap", (), True),
        ("go", "bubblewrap", (Path("/home/me/.cache/go-build"),), False),
        ("go", "none", (), False),
        ("pytest", "bubblewrap", (), False),
    ],
    ids=["go", "the user's own is writable", "no sandbox", "another framework"],
)
def test_only_go_in_the_sandbox_has_a_cache(
    framework: Framework, backend: Backend, writable: tuple[Path, ...], has_cache: bool,
    tmp_path: Path,
) -> None:  # fmt: skip
    home, command = tmp_path / "home", TestCommand((), "", framework)
    sandbox = Sandbox(Workspace(tmp_path), home, backend, writable=writable)
    caches = make_caches(command, tmp_path, sandbox)
    assert ([*caches], all(Path(cache).is_dir() for cache in caches.values())) == (
        ["GOCACHE"] if has_cache else [],
        True,
    )


def test_each_use_makes_the_caches_new(tmp_path: Path) -> None:
    sandbox = Sandbox(Workspace(tmp_path), tmp_path / "home", "bubblewrap")
    caches = locate_project_caches(tmp_path, sandbox.home)
    make_caches(TestCommand((), "", "go"), tmp_path, sandbox)
    os.utime(caches, (0, 0))
    make_caches(TestCommand((), "", "go"), tmp_path, sandbox)
    assert caches.stat().st_mtime > 0


def test_worktrees_of_a_project_share_its_caches(tmp_path: Path) -> None:
    caches = locate_project_caches(tmp_path / "project", tmp_path)
    worktree = tmp_path / "data" / "worktrees" / caches.name / "thread-1" / "files"
    assert locate_project_caches(worktree, tmp_path) == caches
