import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from acts import LINES, changed
from recorded_project import THREAD, tree
from worktree_project import WorktreeProject, write_files

from maxagent.memory.undo.restore import record_crashed_calls
from maxagent.memory.worktrees.removal import remove_worktree

FILES = {"a.txt": LINES.decode(), "b.txt": "b\n", "sub/c.txt": "c\n", "raw": b"\0one"}


@pytest.fixture
def project(tmp_path: Path) -> WorktreeProject:
    return WorktreeProject(tmp_path, FILES)


async def test_every_kind_of_change_comes_back(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    folder = worktree.folder
    write_files(folder, {"b.txt": "B\n", "new/deep": "n\n", "raw": b"\0two"})
    os.rename(folder / "sub" / "c.txt", folder / "moved.txt")
    (folder / "a.txt").chmod(0o755)
    (folder / "link").symlink_to("b.txt")
    (folder / "empty").mkdir()
    result = await project.merge(worktree)
    assert tree(project.folder) == tree(folder)
    assert result.conflicts == () and set(result.paths) == {
        change.path for change in result.changes
    }
    assert [entry.kind for entry in project.entries()] == ["merge"]


async def test_undo_and_redo_take_the_merge_as_one(project: WorktreeProject) -> None:
    before = project.files()
    worktree = await project.branch_off()
    write_files(worktree.folder, {"b.txt": "B\n", "new": "n\n", "sub/c.txt": None})
    await project.merge(worktree)
    after = project.files()
    await remove_worktree(project.snapshots, worktree)
    assert (await project.undo()).conflicts == () and project.files() == before
    await project.redo()
    assert project.files() == after
    await project.rewind(0)
    assert project.files() == before


async def test_changes_of_both_sides_are_merged(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    write_files(worktree.folder, {"a.txt": changed(LINES, "line 3", "THERE")})
    write_files(project.folder, {"a.txt": changed(LINES, "line 17", "HERE"), "user": "u\n"})
    result = await project.merge(worktree)
    both = changed(changed(LINES, "line 3", "THERE"), "line 17", "HERE")
    assert (project.folder / "a.txt").read_bytes() == both
    assert result.merged == {"a.txt"}
    await project.undo()
    assert (project.folder / "a.txt").read_bytes() == changed(LINES, "line 17", "HERE")
    assert (project.folder / "user").exists()


@pytest.mark.parametrize(
    ("there", "here", "reason"),
    [
        ({"b.txt": "there\n"}, {"b.txt": "here\n"}, "others changed the same lines"),
        ({"raw": b"\0there"}, {"raw": b"\0here"}, "others changed it since, and it is not text"),
        ({"new": "there\n"}, {"new": "here\n"}, "the worktree and the project both added it"),
        ({"b.txt": "there\n"}, {"b.txt": None}, "the worktree changed it, and the project deleted"),
        ({"b.txt": None}, {"b.txt": "here\n"}, "the worktree deleted it"),
        ({"sub/d": "there\n"}, {"sub/c.txt": None, "sub": "here\n"}, "is no longer a folder"),
    ],
)
async def test_conflict_keeps_both_versions(
    project: WorktreeProject,
    there: dict[str, str | bytes | None],
    here: dict[str, str | bytes | None],
    reason: str,
) -> None:
    worktree = await project.branch_off()
    write_files(worktree.folder, {**there, "other": "o\n"})
    if here.get("sub"):
        (project.folder / "sub" / "c.txt").unlink()
        (project.folder / "sub").rmdir()
        here = {"sub": here["sub"]}
    write_files(project.folder, here)
    before = project.files()
    result = await project.merge(worktree)
    assert project.files() == {**before, "other": ("100644", b"o\n")}
    (conflict,) = result.conflicts
    (content,) = there.values()
    assert reason in conflict.reason
    if content is None:
        assert conflict.kept is None
    else:
        expected = content.encode() if isinstance(content, str) else content
        assert conflict.kept and conflict.kept.read_bytes() == expected


async def test_merge_of_nothing_records_nothing(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    result = await project.merge(worktree)
    assert (result.paths, result.changes, project.entries()) == ((), (), [])


async def test_same_key_merges_only_once(project: WorktreeProject) -> None:
    worktree = await project.branch_off()
    write_files(worktree.folder, {"b.txt": "there\n", "raw": b"\0there"})
    write_files(project.folder, {"raw": b"\0here"})
    first = await project.merge(worktree)
    write_files(project.folder, {"b.txt": "later\n"})
    again = await project.merge(worktree)
    assert (again.paths, [conflict.path for conflict in again.conflicts]) == (first.paths, ["raw"])
    assert (project.folder / "b.txt").read_text() == "later\n"
    assert sum(entry.kind == "merge" for entry in project.entries()) == 1


async def test_two_worktrees_merge_after_each_other(project: WorktreeProject) -> None:
    item, two = await project.branch_off("one"), await project.branch_off("two")
    write_files(item.folder, {"a.txt": changed(LINES, "line 3", "ONE"), "b.txt": "one\n"})
    write_files(two.folder, {"a.txt": changed(LINES, "line 17", "TWO"), "b.txt": "two\n"})
    assert (await project.merge(item)).conflicts == ()
    result = await project.merge(two)
    both = changed(changed(LINES, "line 3", "ONE"), "line 17", "TWO")
    assert (project.folder / "a.txt").read_bytes() == both
    assert [conflict.path for conflict in result.conflicts] == ["b.txt"]
    assert (project.folder / "b.txt").read_text() == "one\n"


_KILLED = """
import asyncio, os, sys
from pathlib import Path
sys.path[:0] = sys.argv[3].split(os.pathsep)
from worktree_project import WorktreeProject
from maxagent.memory.undo import apply, restore

async def main():
    project = WorktreeProject(Path(sys.argv[1]))
    worktree = await project.branch_off()
    left = int(sys.argv[2])
    write = apply._write_file

    def write_some(*arguments):
        nonlocal left
        if not left:
            os.kill(os.getpid(), 9)
        left -= 1
        write(*arguments)

    apply._write_file = write_some
    finish = project.history.finish_entry

    def finish_or_die(*arguments, **more):
        if not left:
            os.kill(os.getpid(), 9)
        return finish(*arguments, **more)

    project.history.finish_entry = finish_or_die
    await project.merge(worktree)

asyncio.run(main())
"""


@pytest.mark.parametrize("writes", [0, 1, 3])
@pytest.mark.parametrize("first", ["resume", "undo"])
async def test_killed_merge_is_finished_exactly_once(
    project: WorktreeProject, writes: int, first: str
) -> None:
    worktree = await project.branch_off()
    write_files(worktree.folder, {"a.txt": "x\n", "b.txt": "y\n", "new": "z\n"})
    before, expected = project.files(), tree(worktree.folder)
    fixtures = str(Path(__file__).parents[2] / "fixtures")
    command = [sys.executable, "-c", _KILLED, project.home, str(writes), fixtures]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    if first == "undo":  # as the command does
        await record_crashed_calls(project.snapshots, project.history, THREAD)
        await project.finish()
    result = await project.merge(worktree)
    assert project.files() == expected and set(result.paths) == {"a.txt", "b.txt", "new"}
    (entry,) = project.entries()
    assert (entry.kind, entry.state, entry.sure) == ("merge", "done", True)
    await project.undo()
    assert project.files() == before
