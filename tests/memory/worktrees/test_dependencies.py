import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from worktree_project import WorktreeProject, write_files

from maxagent.memory.worktrees import dependencies

IGNORED = {".gitignore": "node_modules/\n.venv/\ntarget/\ndist/\nlogs/\nvendor\n.env\n"}


@pytest.fixture
def project(tmp_path: Path) -> WorktreeProject:
    return WorktreeProject(tmp_path, {**IGNORED, "packages/b/b.js": "b\n", "a.js": "a\n"})


async def test_packages_are_links_in_folders_of_its_own(project: WorktreeProject) -> None:
    packages = project.folder / "node_modules"
    files = {"one/index.js": "1", "@scope/two/index.js": "2", ".bin/run": "", ".cache/x": ""}
    write_files(packages, files)
    (packages / "b").symlink_to("../packages/b")
    (packages / "c").symlink_to(project.folder / "packages")
    (packages / "d").symlink_to("/usr")
    write_files(project.folder, {"packages/b/node_modules/nested/index.js": "n"})
    folder = (await project.branch_off()).folder
    mine = folder / "node_modules"
    assert sorted(os.listdir(mine)) == [".bin", "@scope", "b", "c", "d", "one"]
    assert (mine / "one").readlink() == packages / "one"
    assert (mine / "@scope" / "two").readlink() == packages / "@scope" / "two"
    assert (mine / "b").resolve() == folder / "packages" / "b"
    assert (mine / "c").resolve() == folder / "packages"
    assert (mine / "d").resolve() == Path("/usr")
    assert (folder / "packages/b/node_modules/nested/index.js").read_text() == "n"


async def test_packages_are_copied_where_no_sandbox_protects(project: WorktreeProject) -> None:
    write_files(project.folder, {"node_modules/one/index.js": "1", "vendor/v": "v"})
    folder = (await project.branch_off(sandboxed=False)).folder
    write_files(folder, {"node_modules/one/index.js": "2", "vendor/v": "w"})
    assert (project.folder / "node_modules/one/index.js").read_text() == "1"
    assert (project.folder / "vendor/v").read_text() == "v"


async def test_builds_are_copied_with_their_times(project: WorktreeProject) -> None:
    write_files(project.folder, {"target/debug/x": "x", "dist/y.js": "y", "dist/.env": "KEY=1"})
    os.utime(project.folder / "target/debug/x", (1, 1))
    folder = (await project.branch_off()).folder
    assert (folder / "target/debug/x").stat().st_mtime == 1
    write_files(folder, {"target/debug/x": "z"})
    assert (project.folder / "target/debug/x").read_text() == "x"
    assert os.listdir(folder / "dist") == ["y.js"]


async def test_large_builds_are_left_out(
    project: WorktreeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependencies, "MAX_BUILD_BYTES", 10)
    write_files(project.folder, {"dist/y": "12345", "target/x": "123456"})
    folder = (await project.branch_off()).folder
    assert (folder / "dist").exists() and not (folder / "target").exists()


async def test_other_ignored_files_stay_in_the_project(project: WorktreeProject) -> None:
    write_files(project.folder, {"logs/x": "x", ".env": "KEY=1"})
    folder = (await project.branch_off()).folder
    assert not (folder / "logs").exists() and not (folder / ".env").exists()


async def test_shared_packages_are_linked_as_a_whole(project: WorktreeProject) -> None:
    write_files(project.home, {"shared/one/index.js": "1"})
    (project.folder / "vendor").symlink_to("../shared")
    folder = (await project.branch_off()).folder
    assert (folder / "vendor").resolve() == project.home / "shared"


async def test_dependencies_do_not_come_back(project: WorktreeProject) -> None:
    write_files(project.folder, {"node_modules/one/index.js": "1", "dist/y.js": "y"})
    worktree = await project.branch_off()
    write_files(worktree.folder, {"node_modules/new/index.js": "n", "dist/y.js": "z"})
    assert (await project.merge(worktree)).changes == ()


@pytest.fixture
def python_project(tmp_path: Path) -> WorktreeProject:
    """A project that is installed in its own environment, in editable mode, with a script."""
    files = {".gitignore": ".venv/\n", "src/shop/__init__.py": "PRICE = 1\n"}
    python_project = WorktreeProject(tmp_path, files)
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", python_project.folder / ".venv"], check=True
    )
    (packages,) = (python_project.folder / ".venv").glob("lib/python*/site-packages")
    script = f"#!{python_project.folder}/.venv/bin/python\nimport shop, sys\nprint(shop.PRICE)\n"
    write_files(
        python_project.folder / ".venv" / "bin",
        {"shop": script, "other": f"#!/bin/sh\nexec echo {python_project.folder}-next\n"},
    )
    (python_project.folder / ".venv/bin/shop").chmod(0o755)
    write_files(
        packages, {"shop.pth": f"{python_project.folder}/src\n", "tax/__init__.py": "RATE = 2\n"}
    )
    return python_project


@pytest.mark.parametrize("sandboxed", [True, False])
async def test_editable_package_is_that_of_the_worktree(
    python_project: WorktreeProject, sandboxed: bool
) -> None:
    folder = (await python_project.branch_off(sandboxed=sandboxed)).folder
    write_files(folder, {"src/shop/__init__.py": "import tax\nPRICE = tax.RATE\n"})
    for command in (
        [".venv/bin/shop"],
        [".venv/bin/python", "-c", "import shop;print(shop.PRICE)"],
    ):
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert ran.stdout == "2\n"
        ran = subprocess.run(
            command, cwd=python_project.folder, capture_output=True, text=True, check=True
        )
        assert ran.stdout == "1\n"


async def test_what_is_installed_in_worktree_stays_there(python_project: WorktreeProject) -> None:
    folder = (await python_project.branch_off()).folder
    (packages,) = folder.glob(".venv/lib/python*/site-packages")
    write_files(packages, {"new.py": ""})
    (theirs,) = python_project.folder.glob(".venv/lib/python*/site-packages")
    assert not (theirs / "new.py").exists()


async def test_name_that_only_begins_alike_is_kept(python_project: WorktreeProject) -> None:
    folder = (await python_project.branch_off()).folder
    assert f"{python_project.folder}-next" in (folder / ".venv/bin/other").read_text()


@pytest.mark.parametrize("name", ["pipe", "socket", "one/pipe", "one/deep/pipe", ".bin/pipe"])
async def test_only_files_are_copied(project: WorktreeProject, name: str) -> None:
    """Who opens a pipe waits for its other end."""
    write_files(project.folder, {"node_modules/one/index.js": "1", "node_modules/.bin/run": ""})
    entry_path = project.folder / "node_modules" / name
    entry_path.parent.mkdir(parents=True, exist_ok=True)
    if name == "socket":
        os.mknod(entry_path, 0o600 | stat.S_IFSOCK)
    else:
        os.mkfifo(entry_path)
    folder = (await project.branch_off(sandboxed=False)).folder
    assert (folder / "node_modules/one/index.js").read_text() == "1"
    assert not (folder / "node_modules" / name).exists()


@pytest.mark.parametrize("sandboxed", [True, False])
@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("a", "../../{project}/packages/b"),
        ("a", "../packages/b"),
        ("@scope/a", "../../../{project}/packages/b"),
        (".bin/a", "../../packages/../packages/b"),
        ("a", "../../../{parent}/{project}/packages/b"),
        ("a", "{folder}/packages/b"),
    ],
)
async def test_a_link_into_the_project_leads_into_the_worktree(
    project: WorktreeProject, link: str, target: str, sandboxed: bool
) -> None:
    entry_path, root = project.folder / "node_modules" / link, project.folder
    entry_path.parent.mkdir(parents=True)
    entry_path.symlink_to(target.format(project=root.name, parent=root.parent.name, folder=root))
    folder = (await project.branch_off(sandboxed=sandboxed)).folder
    assert (folder / "node_modules" / link / "b.js").resolve() == folder / "packages/b/b.js"
