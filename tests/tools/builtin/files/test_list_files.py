"""Folders are listed as far as the model may see them."""

from pathlib import Path

import pytest

from maxagent.tools.builtin.files.list_files import list_files
from maxagent.tools.definition import extract_paths, get_effect
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

FILES = ["README.md", "src/a.py", "src/b.txt", "src/deep/c.py", ".env", "secrets/key", "build/x"]


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("build/\n")
    return ToolRun(workspace=Workspace(tmp_path), call_id="c", outputs=tmp_path)


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        ({}, [".gitignore", "README.md", "src/"]),
        ({"path": ""}, [".gitignore", "README.md", "src/"]),
        ({"path": "src"}, ["src/a.py", "src/b.txt", "src/deep/"]),
        ({"path": "src", "recursive": True}, ["src/a.py", "src/b.txt", "src/deep/c.py"]),
        ({"path": "src", "pattern": "*.py"}, ["src/a.py"]),
        ({"path": "src", "pattern": "*.py", "recursive": True}, ["src/a.py", "src/deep/c.py"]),
        ({"pattern": "src/**/*.py"}, ["src/a.py", "src/deep/c.py"]),
        ({"path": "build"}, ["build/x"]),
        ({"pattern": "*.env*", "recursive": True}, ["[nothing found; what git ignores and secret"]),
        ({"max_results": 1}, [".gitignore", "[there are more than 1; narrow with `path` or"]),
    ],
)
async def test_what_is_listed(run: ToolRun, args: dict[str, object], lines: list[str]) -> None:
    result = await invoke(list_files, args, run)
    parts = result.output.split("\n")
    assert len(parts) == len(lines)
    assert all(line.startswith(start) for line, start in zip(parts, lines, strict=True))


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"path": "secrets"}, "ignore patterns"),
        ({"path": "Secrets/"}, "ignore patterns"),
        ({"path": ".."}, "outside the project"),
        ({"path": "/etc"}, "outside the project"),
        ({"path": "src/a.py"}, "`read_file` shows a file"),
        ({"path": "source"}, "does not exist"),
        ({"pattern": "../*"}, "leads out of the folder"),
        ({"max_results": 0}, "at least 1"),
    ],
)
async def test_what_is_refused(run: ToolRun, args: dict[str, object], reason: str) -> None:
    assert reason in (await invoke(list_files, args, run)).error


def test_it_only_looks() -> None:
    assert (get_effect(list_files), extract_paths(list_files, {"path": "x"})) == ("read", ["x"])
