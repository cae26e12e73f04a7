"""The tests of real projects, run in a worktree as a command of an agent."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from confinement import needs_bubblewrap
from worktree_project import WorktreeProject, write_files

from maxagent.config.settings.schema import SandboxSection
from maxagent.memory.worktrees.creation import create_worktree
from maxagent.memory.worktrees.record import Worktree, find_origins
from maxagent.tools.process.launcher import CapturedOutput
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.execution import capture_inside
from maxagent.tools.workspace import Workspace

PYTHON = {
    ".gitignore": ".venv/\n__pycache__/\n.env\n",
    "src/shop/__init__.py": "def add_tax(price):\n    return price\n",
    "tests/test_shop.py": "import unittest\nfrom shop import add_tax\n\n\n"
    "class Taxes(unittest.TestCase):\n    def test_tax(self):\n"
    "        self.assertEqual(add_tax(1), 2)\n",
}
NODE = {
    ".gitignore": "node_modules/\n",
    "package.json": '{"name": "app", "workspaces": ["packages/*"]}\n',
    "packages/shop/package.json": '{"name": "shop", "main": "index.js"}\n',
    "packages/shop/index.js": "exports.addTax = price => price\n",
    "test/shop.test.js": "const test = require('node:test')\nconst tax = require('tax')\n"
    "const { addTax } = require('shop')\n"
    "test('tax', () => { if (addTax(1) !== tax.rate) throw new Error('red') })\n",
}


def make_python_project(project: WorktreeProject) -> list[str]:
    write_files(project.folder, PYTHON)
    environment = project.folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    write_files(packages, {"shop.pth": f"{project.folder}/src\n"})
    return [".venv/bin/python", "-m", "unittest", "discover", "-s", "tests"]


def make_node_project(project: WorktreeProject) -> list[str]:
    write_files(project.folder, NODE)
    write_files(project.folder / "node_modules", {"tax/index.js": "exports.rate = 2\n"})
    (project.folder / "node_modules" / "shop").symlink_to("../packages/shop")
    return [shutil.which("node") or "node", "--test", "test/"]


async def run(project: WorktreeProject, worktree: Worktree, *command: str) -> CapturedOutput:
    workspace = Workspace(worktree.folder, (".env",), project.home)
    sandbox = open_sandbox(SandboxSection(), workspace, project.home)
    assert sandbox.is_on
    return await capture_inside(sandbox, command, cwd=worktree.folder, timeout=60)


@needs_bubblewrap
@pytest.mark.parametrize("language", ["python", "node"])
async def test_tests_of_a_project_run_in_its_worktree(language: str, tmp_path: Path) -> None:
    if language == "node" and not shutil.which("node"):
        pytest.skip("node is not installed")
    project = WorktreeProject(tmp_path)
    python = language == "python"
    command = make_python_project(project) if python else make_node_project(project)
    project.commit()
    worktree = await project.branch_off()
    assert (await run(project, worktree, *command)).exit_code == 1
    name = "src/shop/__init__.py" if python else "packages/shop/index.js"
    fixed = "def add_tax(price):\n    return 2 * price\n"
    write_files(worktree.folder, {name: fixed if python else "exports.addTax = p => 2 * p\n"})
    done = await run(project, worktree, *command)
    assert done.exit_code == 0, done.text
    assert (await project.merge(worktree)).paths == (name,)
    assert subprocess.run(command, cwd=project.folder, capture_output=True).returncode == 0


@needs_bubblewrap
async def test_project_cannot_be_changed_from_its_worktree(tmp_path: Path) -> None:
    project = WorktreeProject(tmp_path)
    make_node_project(project)
    write_files(project.folder, {".env": "KEY=1"})
    project.commit()
    worktree = await project.branch_off()
    link = "echo 'exports.rate = 1' > node_modules/tax/index.js"
    for line in (link, f"rm {project.folder}/package.json", f"touch {project.folder}/.git/x"):
        assert (await run(project, worktree, "sh", "-c", line)).exit_code != 0, line
    secret = await run(project, worktree, "cat", f"{project.folder}/.env")
    assert secret.exit_code != 0 and "KEY" not in secret.text
    made = await run(project, worktree, "sh", "-c", "touch node_modules/new && rm node_modules/tax")
    assert made.exit_code == 0, made.text
    assert (project.folder / "node_modules/tax/index.js").exists()
    commit = "git -c user.name=u -c user.email=u@localhost commit --allow-empty -qm apart"
    done = await run(project, worktree, "sh", "-c", f"git status && {commit} && git log -2")
    assert done.exit_code == 0 and "apart" in done.text, done.text


@needs_bubblewrap
async def test_worktree_of_worktree_has_packages_but_no_secrets(tmp_path: Path) -> None:
    project = WorktreeProject(tmp_path)
    command = make_python_project(project)
    write_files(project.folder, {".env": "KEY=1"})
    project.commit()
    outer = await project.branch_off()
    snapshots = project.snapshots.open_for_folder(outer.folder)
    inner = await create_worktree(
        snapshots, thread_id="inner", key="k", tree=await snapshots.take(), sandboxed=True
    )
    assert find_origins(inner.folder, tmp_path) == (outer.folder, project.folder)
    done = await run(project, inner, *command)
    assert b"AssertionError: 1 != 2" in done.stderr
    result = await run(project, inner, "cat", str(project.folder / ".env"))
    assert result.exit_code != 0 and "KEY" not in result.text
    logged = await run(project, inner, "git", "log", "--format=%s")
    assert logged.text.strip() == "first"
