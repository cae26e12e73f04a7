"""The diff of a patch's result says all that happened: git makes the same files of the old ones."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.apply_patch import apply_patch
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

FILES = {"x": "a\nb\nc\n", "d/y é": "1\n2\n3\n4\n", "z": "end", "empty": "", "run": "1\n"}


def tree(root: Path) -> dict[str, tuple[bytes, bool]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), os.access(path, os.X_OK))
        for path in files
    }


@pytest.mark.parametrize(
    "lines",
    [
        ["*** Update File: x", "-b", "+B"],
        ["*** Delete File: x"],
        ["*** Delete File: z", "*** Delete File: empty"],
        ["*** Add File: n/o p", "+1", "*** Add File: q"],
        ["*** Update File: d/y é", "*** Move to: e/w w"],
        ["*** Update File: d/y é", "*** Move to: e/é", "-2", "+two"],
        ["*** Delete File: x", "*** Add File: x", "+1"],
        ["*** Update File: d/y é", "*** Move to: e", "*** Add File: d/y é", "+1"],
        ["*** Update File: run", "*** Move to: walk", "-1", "+2"],
    ],
)
async def test_git_makes_the_same_of_our_diff(tmp_path: Path, lines: list[str]) -> None:
    ours, git = tmp_path / "ours", tmp_path / "git"
    for name, text in FILES.items():
        path = ours / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (ours / "run").chmod(0o755)
    shutil.copytree(ours, git)
    seen = {name: hash_content(text.encode()) for name, text in FILES.items()}
    run = replace(ToolRun(Workspace(ours), "c", tmp_path / "outputs"), seen=seen)
    patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
    result = await invoke(apply_patch, {"patch": patch}, run)
    assert result.error == ""
    subprocess.run(
        ["git", "apply", "--unsafe-paths", "-"],
        cwd=git,
        input=result.metadata["diff"].encode(),
        env={**os.environ, "GIT_CEILING_DIRECTORIES": "/"},
        check=True,
    )
    assert tree(ours) == tree(git)


async def test_a_diff_of_modes_is_one_for_git(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("1\n")
    run = ToolRun(Workspace(tmp_path), "c", tmp_path)
    patch = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"
    made = "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n"
    result = await invoke(apply_patch, {"patch": patch + made}, run)
    assert result.metadata["diff"] == patch + made
    assert (result.metadata["added"], result.metadata["removed"]) == (1, 0)
