"""Files are found by name, as far as the model may see them."""

from pathlib import Path

import pytest

from maxagent.tools.builtin.files.glob import MAX_RESULTS, glob
from maxagent.tools.definition import get_effect
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

FILES = ["a.py", "src/b.py", "src/deep/c.py", ".env", ".env.example", "lib/.env", "build/x.py"]


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("build/\n")
    return ToolRun(workspace=Workspace(tmp_path), call_id="c", outputs=tmp_path)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.py", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("./*.py", ["a.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/", ["src/b.py", "src/deep/c.py"]),
        ("src/**/*.{py,js}", ["src/b.py", "src/deep/c.py"]),
        ("**/c.py", ["src/deep/c.py"]),
        ("build/*.py", ["build/x.py"]),
        (".env*", [".env.example"]),
        ("a.py", ["a.py"]),
    ],
)
async def test_what_is_found(run: ToolRun, pattern: str, names: list[str]) -> None:
    assert (await invoke(glob, {"pattern": pattern}, run)).output.split("\n") == names


async def test_an_absolute_pattern_inside_the_project_is_fine(run: ToolRun) -> None:
    result = await invoke(glob, {"pattern": f"{run.workspace.root}/src/*.py"}, run)
    assert result.output == "src/b.py"


async def test_many_files_are_cut_and_it_says_so(run: ToolRun) -> None:
    for number in range(MAX_RESULTS + 1):
        (run.workspace.root / f"{number}.txt").touch()
    lines = (await invoke(glob, {"pattern": "*.txt"}, run)).output.split("\n")
    assert len(lines) == MAX_RESULTS + 1
    assert lines[-1] == f"[there are more than {MAX_RESULTS}; make the pattern narrower]"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "empty"),
        ("../*.py", "outside the project"),
        ("/etc/*", "outside the project"),
        ("*/../../x", "leads out"),
        ("secrets/*", "ignore patterns"),
        ("/**", "outside the project"),
        ("//*", "outside the project"),
        ("sorce/*.py", "does not exist"),
    ],
)
async def test_what_is_refused(run: ToolRun, pattern: str, reason: str) -> None:
    assert reason in (await invoke(glob, {"pattern": pattern}, run)).error


def test_it_only_looks() -> None:
    assert get_effect(glob) == "read"
