"""The guard with real programs, without any other part of the sandbox."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from confinement import FOUND

from maxagent.tools.process.launcher import capture_output
from maxagent.tools.sandbox.profile_builder import build_guard_rules

pytestmark = pytest.mark.skipif(
    not FOUND.is_on or bool(FOUND.why_unguarded), reason="the kernel has no seccomp listener"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "project"
    for name in ("sub/.venv/bin", ".venv/bin", ".git", "gh/workflows"):
        (root / name).mkdir(parents=True)
    (root / "file").write_text("x")
    (root / "dangling").symlink_to(".envrc")
    return root


async def run(root: Path, script: str, rules: Mapping[str, Any] | None = None) -> str:
    rules = rules or build_guard_rules(root, [root / ".git" / "commondir"])
    argv = ["/bin/sh", "-c", script]
    done = await capture_output(argv, cwd=root, timeout=60, guard=rules)
    assert done.exit_code < 126, done.stderr
    return done.text + done.stderr.decode()


REFUSED = {
    "opened": "echo x > .envrc",
    "in other letters": "echo x > .ENVRC",
    "by its whole path": 'echo x > "$PWD/AGENTS.md"',
    "by way of a folder": "echo x > sub/../.npmrc",
    "a folder": "mkdir .vscode",
    "a folder with a slash": "mkdir .vscode/",
    "moved": "mv file .mcp.json",
    "a hard link": "ln file .gdbinit",
    "a symbolic link": "ln -s file CLAUDE.md",
    "a pipe": "mkfifo .bazelrc",
    "through a link": "echo x > dangling",
    "through a link to itself": "ln -s . here; echo x > here/.yarnrc.yml",
    "through the working folder": "ln -s /proc/self/cwd here; echo x > here/mise.toml",
    "through a link of a link": "ln -s dangling two; echo x > two",
    "workflows": "mkdir .github; mkdir .github/workflows",
    "a folder with workflows": "mv gh .github",
    "cargo's configuration": "mkdir .cargo; echo x > .cargo/config.toml",
    "a single place": "echo . > .git/commondir",
    "a program": "cd .venv; echo x > bin/git",
    "a program that is linked": "ln -s .venv/bin b; cp file b/git",
}


@pytest.mark.parametrize("attempt", REFUSED)
async def test_steering_file_is_refused(attempt: str, root: Path) -> None:
    before = {*root.rglob("*")}
    result = await run(root, REFUSED[attempt])
    assert "Read-only file system" in result
    made = {path.name for path in {*root.rglob("*")} - before}
    assert made <= {"here", "two", "b", ".github", ".cargo"}


ALLOWED = {
    "ordinary files": "echo x > new; mkdir -p a/b/c; mv new a/b; ln -s a l; ln file h; cat a/b/new",
    "a missing folder": "mkdir a/b || echo no; echo x > a/b || echo no",
    "the same names below": "echo x > sub/.envrc; mkdir sub/.vscode; echo x > sub/.venv/bin/y",
    "the same names elsewhere": "mkdir ../o; cd ../o; mkdir .git; echo x > .envrc; echo x > A",
    "other parts of a folder": "mkdir .github; echo x > .github/CODEOWNERS; echo x > .venv/cfg",
    "opened files": "echo a > /dev/stderr; echo > /dev/fd/2; echo > /proc/self/fd/2; : >/dev/null",
    "removal": "rm -rf .venv sub dangling",
    "setgid of a folder": "chmod g+s sub",
}


@pytest.mark.parametrize("work", ALLOWED)
async def test_ordinary_work_is_done(work: str, root: Path) -> None:
    assert "Read-only" not in await run(root, f"set -e; {ALLOWED[work]}; echo done >&2")


async def test_installer_writes_programs(root: Path) -> None:
    rules = build_guard_rules(root, (), writes_programs=True)
    assert await run(root, "echo x > .venv/bin/x", rules) == ""


async def test_only_the_approved_file_is_created(root: Path) -> None:
    rules = build_guard_rules(root, [root / ".npmrc"], approved=[root / ".envrc"])
    result = await run(root, "echo x > .envrc; echo x > .npmrc; echo x > AGENTS.md", rules)
    assert result.count("Read-only") == 2 and (root / ".envrc").exists()


async def test_no_file_gets_a_setgid_bit(root: Path) -> None:
    assert "not permitted" in await run(root, "chmod 2755 file; chmod g+s sub")
    assert not (root / "file").stat().st_mode & stat.S_ISGID
    assert (root / "sub").stat().st_mode & stat.S_ISGID


async def test_user_creates_files_meanwhile(root: Path) -> None:
    (root / "gate").unlink(missing_ok=True)
    os.mkfifo(root / "gate")

    async def create() -> None:
        import asyncio

        def write() -> None:
            with (root / "gate").open("w"):  # the command has started
                (root / "AGENTS.md").write_text("mine")

        await asyncio.to_thread(write)

    import asyncio

    output, _ = await asyncio.gather(run(root, "cat gate; echo evil > AGENTS.md; true"), create())
    assert "Read-only" in output and (root / "AGENTS.md").read_text() == "mine"
