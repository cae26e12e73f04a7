import os
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
