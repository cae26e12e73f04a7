"""A restore in which something goes wrong: a kill, a full disk, files that change meanwhile."""

import os
import resource
import shutil
from pathlib import Path

import pytest
from acts import LINES, changed, sh, swap, three_files, write
from recorded_project import THREAD, Recorded

from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots.file_version import PathChange
from maxagent.memory.undo.restore import Conflict, execute_plan, plan_restore


@pytest.fixture
def project(tmp_path: Path) -> Recorded:
    return three_files(tmp_path)


async def test_changes_during_crash_are_a_conflict(project: Recorded) -> None:
    before = await project.snapshots.take()
    project.history.begin_entry(THREAD, "call", "shell", before=before, turn=1, tool="run_command")
    write("a.txt", b"agent or user")(project.folder)
    project.history.begin_entry(THREAD, "call", "shell", before=before, turn=1)
    after = await project.snapshots.take()
    changes = await project.snapshots.list_changes(before, after)
    project.history.finish_entry(THREAD, "call", after=after, changes=changes)
    undone = await project.undo()
    assert undone.conflicts == (
        Conflict(
            "a.txt",
            "the run was killed while `run_command` ran, "
            "so its changes cannot be told from those of others",
        ),
    )
    assert (undone.entry, project.files()["a.txt"][1]) == (None, b"agent or user")
    assert (await project.undo(force=True)).paths == ("a.txt",)
    assert project.files()["a.txt"][1] == LINES


async def test_file_changed_after_plan_is_retried_by_undo(
    project: Recorded,
) -> None:
    await project.tool(swap("a.txt", "line 3", "AGENT"), "a.txt")
    await project.tool(write("b.txt", b"agent"), "b.txt")
    planned = await plan_restore(project.snapshots, project.entries())
    swap("a.txt", "line 17", "USER")(project.folder)
    done = await execute_plan(project.snapshots, project.history, THREAD, planned, "undo", 1)
    assert (done.paths, done.conflicts[0].path) == (("b.txt",), "a.txt")
    assert done.entry and done.entry.skipped == {"a.txt"}
    assert (await project.undo()).merged == {"a.txt"}
    assert project.files()["a.txt"][1] == changed(LINES, "line 17", "USER")


async def test_unwritable_file_is_reported_and_not_recorded(
    project: Recorded,
) -> None:
    write("sub/large", bytes(300_000))(project.folder)
    first = project.files()
    await project.tool(write("a.txt", b"agent"), "a.txt")
    await project.tool(write("sub/large", b"agent"), "sub/large")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, hard))
    try:
        undone = await project.undo()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert undone.conflicts == (Conflict("sub/large", "it cannot be written: File too large"),)
    assert undone.entry and [change.path for change in undone.entry.changes] == ["a.txt"]
    assert project.files() == first | {"sub/large": ("100644", b"agent")}
    assert (await project.undo()).paths == ("sub/large",)
    assert project.files() == first


async def test_failed_snapshot_after_restore_is_reported_finished_later(
    project: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = project.files()
    git, full = tmp_path / "bin" / "git", tmp_path / "full"
    git.parent.mkdir()
    git.write_text(
        "#!/bin/sh\n"
        f'[ -e {full} ] && [ "$1" != cat-file ] && echo "broken" >&2 && exit 128\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(git.parent), prepend=os.pathsep)
    project.open(tmp_path)
    await project.tool(write("a.txt", b"agent"), "a.txt")
    with pytest.raises(MaxAgentError, match="^restored 1 files; then: .*broken") as error_info:
        await project.back(project.entries(), "undo", meanwhile=full.touch)
    assert "the next undo, redo or rewind finishes this restore" in error_info.value.hint
    full.unlink()
    assert await project.finish()
    assert project.files() == first
    assert (await project.redo()).paths == ("a.txt",)


async def test_missing_content_is_reported_and_nothing_is_written(
    project: Recorded, tmp_path: Path
) -> None:
    write("a.txt", b"first")(project.folder)
    await project.tool(write("a.txt", b"agent"), "a.txt")
    await project.tool(write("sub/c.txt", b"agent"), "sub/c.txt")
    files = project.files()
    shutil.rmtree(project.snapshots.directory / "objects")
    (project.snapshots.directory / "objects").mkdir()
    project.open(tmp_path)
    with pytest.raises(MaxAgentError, match="lost"):
        await project.undo()
    assert project.files() == files
    assert [entry.kind for entry in project.entries()] == ["tool", "tool"]


async def begun(project: Recorded) -> tuple[PathChange, ...]:
    """An undo that was killed before its first write."""
    planned = await plan_restore(project.snapshots, project.entries())
    project.history.begin_entry(
        THREAD,
        "undo-0123456789abcdef",
        "undo",
        before=planned.tree,
        turn=1,
        changes=planned.changes,
        reverted=planned.reverted,
    )
    return planned.changes


async def test_a_restore_that_was_cut_short_is_finished(project: Recorded, tmp_path: Path) -> None:
    first = project.files()
    await project.shell(sh("rm -r sub; echo x > sub; echo agent > a.txt; echo agent > new"))
    await begun(project)
    write("a.txt", LINES)(project.folder)
    write(".mcode-0123456789abcdef", b"half")(project.folder)
    project.open(tmp_path)
    done = await project.finish()
    assert done and done.entry and (done.conflicts, done.entry.state) == ((), "done")
    assert project.files() == first
    assert await project.finish() is None
    assert (await project.redo()).conflicts == ()
    assert project.files()["new"][1] == b"agent\n"


async def test_finishing_leaves_alone_what_others_have_changed_meanwhile(
    project: Recorded,
) -> None:
    await project.shell(sh("echo agent > a.txt; echo agent > b.txt"))
    await begun(project)
    write("a.txt", b"user")(project.folder)
    done = await project.finish()
    assert done and [conflict.path for conflict in done.conflicts] == ["a.txt"]
    assert project.files()["a.txt"][1] == b"user"
    assert project.files()["b.txt"][1] == LINES


async def test_finish_without_contents_completes(project: Recorded, tmp_path: Path) -> None:
    await project.shell(sh("echo agent > a.txt; echo agent > b.txt; echo agent > new"))
    await begun(project)
    files = project.files()
    shutil.rmtree(project.snapshots.directory)
    project.open(tmp_path)
    done = await project.finish()
    assert done and {conflict.path for conflict in done.conflicts} == {"a.txt", "b.txt"}
    del files["new"]
    assert (project.files(), await project.finish()) == (files, None)
