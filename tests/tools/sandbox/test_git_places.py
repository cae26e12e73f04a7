"""Git works inside the sandbox wherever the other part of a checkout lies, `/tmp` included."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from confinement import needs_bubblewrap

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.execution import capture_inside
from maxagent.tools.workspace import Workspace

NAME = "git config user.name"
READ = "git log --format=%s && git status --short"
WRITE = "echo more >> a.txt && git commit -qam Second && git log --format=%s"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder below `/tmp`, where containers have the home, with a repository in it."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="git-") as name:
        place = Path(os.path.realpath(name))
        (place / "home").mkdir()
        monkeypatch.setenv("HOME", str(place / "home"))
        for variable in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_AUTHOR_NAME"):
            monkeypatch.delenv(variable, raising=False)
        (place / "home/.gitconfig").write_text("[user]\nname = Ada\nemail = a@example.org\n")
        (place / "main/packages/a").mkdir(parents=True)
        (place / "main/packages/a/a.txt").write_text("one\n")
        git(place / "main", "init -q -b main; echo one > a.txt; git add .; git commit -qm First")
        yield place


def git(folder: Path, line: str) -> None:
    command = f"set -e; git {line}"
    subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True)


@needs_bubblewrap
@pytest.mark.parametrize(
    ("line", "project", "command", "output"),
    [
        ("worktree add -q ../tree", "tree", READ, "First"),
        ("worktree add -q ../tree", "tree", WRITE, "Second\nFirst"),
        ("clone -q --shared . ../clone", "clone", READ, "First"),
        ("clone -q --shared . ../clone", "clone", WRITE, "Second\nFirst"),
        ("clone -q --shared . ../a; git clone -q --shared ../a ../b", "b", READ, "First"),
        ("clone -q --reference . . ../clone", "clone", WRITE, "Second\nFirst"),
        (
            "init -q ../above; cd ../above; git -c protocol.file.allow=always submodule --quiet "
            "add ../main sub",
            "above/sub",
            WRITE,
            "Second\nFirst",
        ),
        ("status", "main/packages/a", READ, "First"),
        ("status", "main/packages/a", NAME, "Ada"),
        ("worktree add -q ../tree", "tree/packages/a", READ, "First"),
        ("status", "main", WRITE, "Second\nFirst"),
    ],
)
async def test_git_finds_its_other_part(
    place: Path, line: str, project: str, command: str, output: str
) -> None:
    git(place / "main", line)
    root = place / project
    sandbox = open_sandbox(SandboxSection(), Workspace(root), place / "own")
    assert sandbox.is_on, sandbox.why_none
    done = await capture_inside(sandbox, ["/bin/sh", "-c", command], cwd=root, timeout=60)
    assert (done.exit_code, done.text.strip()) == (0, output), done.stderr
