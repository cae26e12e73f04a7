"""The guard of git is whole, or git does not run: from a copy of the package in any folder."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confinement import needs_bubblewrap

import maxagent

SECRET = "tiger-lily-4711"
NO_PACKAGE = shutil.ignore_patterns(".*", "tests", "docs", "__pycache__")
LOG = ("run_command", {"command": "git log -p"})
HELLO = ("run_command", {"command": "echo hello"})
Call = Callable[..., list[str]]


def git(root: Path, *arguments: str) -> None:
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *person, *arguments], cwd=root, check=True)


@pytest.fixture
def copy() -> Iterator[Path]:
    """The package outside the interpreter's prefix, in a folder that the sandbox covers."""
    with tempfile.TemporaryDirectory(dir="/tmp") as temporary_directory:
        own = Path(temporary_directory, "clone", "maxagent")
        shutil.copytree(Path(maxagent.__file__).parent, own, ignore=NO_PACKAGE)
        yield own


@pytest.fixture
def call(copy: Path, tmp_path: Path) -> Call:
    """Call a tool as that copy does, in a repository with a secret in its history."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".env").write_text(f"KEY={SECRET}\n")
    git(root, "add", "-f", ".")
    git(root, "commit", "-q", "-m", "First")
    git(root, "rm", "-q", ".env")
    git(root, "commit", "-q", "-m", "Second")

    def run(*calls: tuple[str, dict[str, str]], home: Path | None = None) -> list[str]:
        """What each call says; one process makes them all."""
        environment = {"PYTHONPATH": str(copy.parent), "MAXAGENT_HOME": str(home or tmp_path / "h")}
        done = subprocess.run(
            [sys.executable, "-m", "maxagent", "tools", "call", "--stdin", "--mode", "auto"],
            cwd=root,
            env={**os.environ, **environment},
            input="".join(json.dumps({"tool": tool, "args": args}) + "\n" for tool, args in calls),
            capture_output=True,
            text=True,
        )
        lines = done.stdout.splitlines()
        assert len(lines) == len(calls), done.stderr
        return lines

    return run


def test_history_of_a_secret_stays_hidden(call: Call) -> None:
    [output] = call(LOG)
    assert "Second" in output and SECRET not in output


@needs_bubblewrap
def test_guard_inside_hidden_home_is_found(call: Call, copy: Path) -> None:
    [output] = call(LOG, home=copy.parent)
    assert "Second" in output and SECRET not in output


@pytest.mark.parametrize("content", [None, ""], ids=["missing", "empty"])
def test_git_without_its_guard_is_refused(call: Call, copy: Path, content: str | None) -> None:
    (copy / "tools/git/secret.gitattributes").unlink()
    if content is not None:
        (copy / "tools/git/secret.gitattributes").write_text(content)
    by_command, by_tool, hello = call(LOG, ("git_log", {}), HELLO)
    for output in (by_command, by_tool):
        assert "git is denied" in output and "Second" not in output
    assert "hello" in json.loads(hello)["output"]
