"""A repository that tries to run a program by every door of git's read-only commands."""

import os
import subprocess
from pathlib import Path

import pytest

from maxagent.config.security.ignore_patterns import IGNORE_PATTERNS
from maxagent.memory.snapshots.store import Snapshots
from maxagent.tools.builtin.shell.git_tools import git_branch, git_diff, git_log, git_status
from maxagent.tools.git import hardened_git
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

TRAPS = {
    "fsmonitor": 'core.fsmonitor "{trap}"',
    "external diff": 'diff.external "{trap}"',
    "diff driver": 'diff.evil.command "{trap}"',
    "textconv": 'diff.evil.textconv "{trap}"',
    "clean filter": 'filter.evil.clean "{trap}"',
    "required filter": 'filter.evil.clean "{trap}"\nfilter.evil.required true',
    "filter process": 'filter.evil.process "{trap}"',
    "filter of an odd name": 'filter.evil.x=y.z.clean "{trap}"',
    "hooks": 'core.hooksPath "{hooks}"',
}


def git(root: Path, *arguments: str) -> None:
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *person, *arguments], cwd=root, env=environment, check=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    attributes = "a.txt diff=evil filter=evil\nb.txt filter=evil.x=y.z\n"
    (root / ".gitattributes").write_text(attributes)
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("one\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "First")
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("two\n")
    return root


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark; also as every hook."""
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    script.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / hook).symlink_to(script)
    return script


async def call_all(root: Path) -> list[str]:
    run = ToolRun(Workspace(root), "c", root)
    calls = [(git_status, {}), (git_diff, {}), (git_diff, {"staged": True})]
    calls += [(git_log, {}), (git_branch, {})]
    return [(await invoke(tool, args, run)).error for tool, args in calls]


def unguarded(root: Path) -> None:
    for command in ("status", "diff"):
        subprocess.run(["git", command], cwd=root, capture_output=True)


@pytest.mark.parametrize("name", TRAPS)
async def test_no_configured_program_runs(name: str, root: Path, trap: Path) -> None:
    for line in TRAPS[name].format(trap=trap, hooks=trap.parent / "hooks").split("\n"):
        key, _, value = line.rpartition(" ") if line.endswith(" true") else line.partition(' "')
        git(root, "config", key, value.rstrip('"'))
    assert await call_all(root) == [""] * 5
    assert not (trap.parent / "sprung").exists()
    unguarded(root)
    assert (trap.parent / "sprung").exists()


async def test_filter_in_included_file_does_not_run(root: Path, trap: Path) -> None:
    (root / "more").write_text(f'[filter "evil"]\n\tclean = {trap}\n\trequired = true\n')
    git(root, "config", "include.path", "../more")
    assert await call_all(root) == [""] * 5
    assert not (trap.parent / "sprung").exists()
    unguarded(root)
    assert (trap.parent / "sprung").exists()


async def test_a_work_tree_outside_the_project_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    git(root, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert all("are outside the project" in error for error in await call_all(root))


async def test_bare_repository_in_folder_is_not_used(root: Path, trap: Path) -> None:
    hidden = root / "sub"
    hidden.mkdir()
    subprocess.run(["git", "init", "-q", "--bare", hidden], check=True)
    git(hidden, "config", "core.bare", "false")
    git(hidden, "config", "core.worktree", "..")
    git(hidden, "config", "core.fsmonitor", str(trap))
    await call_all(hidden)
    assert not (trap.parent / "sprung").exists()
    unguarded(hidden)
    assert (trap.parent / "sprung").exists()


def any_case(pattern: str) -> str:
    letters = (f"[{sign.upper()}{sign.lower()}]" if sign.isalpha() else sign for sign in pattern)
    return "".join(letters)


def test_git_output_holds_no_secret_content() -> None:
    attributes = Path(hardened_git.__file__).with_name("secret.gitattributes").read_text()
    expected: list[str] = []
    for pattern in IGNORE_PATTERNS:
        name = any_case(pattern.removeprefix("!"))
        expected.append(f"{name} {'!diff' if pattern.startswith('!') else '-diff'}")
        if not pattern.startswith("!") and not pattern.endswith("/**"):
            expected.append(f"**/{name.removeprefix('**/')}/** -diff")
    assert [line for line in attributes.splitlines() if not line.startswith("#")] == expected


async def test_git_program_inside_project_is_not_run(
    root: Path, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".venv/bin").mkdir(parents=True)
    (root / ".venv/bin/git").symlink_to(trap)
    monkeypatch.setenv("PATH", f"{root}/.venv/bin:{os.environ['PATH']}")
    assert await call_all(root) == [""] * 5
    tree = await Snapshots(root, trap.parent / "store", ()).take()
    assert tree and not (trap.parent / "sprung").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
async def test_repository_of_another_user_is_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(root.parent))  # whose .gitconfig has no `safe.directory`
    for path in (root, *root.rglob("*")):
        os.chown(path, 1234, 1235, follow_symlinks=False)
    assert await call_all(root) == [""] * 5
