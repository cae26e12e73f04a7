import subprocess
import sys
from pathlib import Path

import pytest
from worktree_project import WorktreeProject, write_files


@pytest.fixture
def project(tmp_path: Path) -> WorktreeProject:
    """A project that is installed in its own environment, in editable mode, with a script."""
    files = {".gitignore": ".venv/\n", "src/shop/__init__.py": "PRICE = 1\n"}
    project = WorktreeProject(tmp_path, files)
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", project.folder / ".venv"], check=True
    )
    (packages,) = (project.folder / ".venv").glob("lib/python*/site-packages")
    script = f"#!{project.folder}/.venv/bin/python\nimport shop, sys\nprint(shop.PRICE)\n"
    write_files(
        project.folder / ".venv" / "bin",
        {"shop": script, "other": f"#!/bin/sh\nexec echo {project.folder}-next\n"},
    )
    (project.folder / ".venv/bin/shop").chmod(0o755)
    write_files(packages, {"shop.pth": f"{project.folder}/src\n", "tax/__init__.py": "RATE = 2\n"})
    return project


@pytest.mark.parametrize("sandboxed", [True, False])
async def test_editable_package_is_that_of_the_worktree(
    project: WorktreeProject, sandboxed: bool
) -> None:
    folder = (await project.branch_off(sandboxed=sandboxed)).folder
    write_files(folder, {"src/shop/__init__.py": "import tax\nPRICE = tax.RATE\n"})
    for command in (
        [".venv/bin/shop"],
        [".venv/bin/python", "-c", "import shop;print(shop.PRICE)"],
    ):
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert ran.stdout == "2\n"
        ran = subprocess.run(
            command, cwd=project.folder, capture_output=True, text=True, check=True
        )
        assert ran.stdout == "1\n"


async def test_what_is_installed_in_worktree_stays_there(project: WorktreeProject) -> None:
    folder = (await project.branch_off()).folder
    (packages,) = folder.glob(".venv/lib/python*/site-packages")
    write_files(packages, {"new.py": ""})
    (theirs,) = project.folder.glob(".venv/lib/python*/site-packages")
    assert not (theirs / "new.py").exists()


async def test_name_that_only_begins_alike_is_kept(project: WorktreeProject) -> None:
    folder = (await project.branch_off()).folder
    assert f"{project.folder}-next" in (folder / ".venv/bin/other").read_text()
