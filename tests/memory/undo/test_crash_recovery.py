from pathlib import Path

import pytest
from recorded_project import THREAD, Recorded

from maxagent.memory.undo.restore import record_crashed_calls


@pytest.fixture
async def project(tmp_path: Path) -> Recorded:
    """A command made `made` and was killed; the user added to it, and changed nothing else."""
    project = Recorded(tmp_path)
    (project.folder / "a.txt").write_text("one\n")
    before = await project.snapshots.take()
    project.history.begin_entry(THREAD, "call", "shell", before=before, turn=1, tool="run_command")
    (project.folder / "made").write_text("by the command, or by the user\n")
    return project


async def cut_short(project: Recorded) -> None:
    await record_crashed_calls(project.snapshots, project.history, THREAD)


async def test_changes_since_crash_are_recorded_as_unsure(project: Recorded) -> None:
    await cut_short(project)
    (entry,) = project.entries()
    assert (entry.state, entry.sure, entry.tool) == ("done", False, "run_command")
    assert [change.path for change in entry.changes] == ["made"]
    (conflict,) = (await project.undo()).conflicts
    assert conflict.path == "made" and "killed" in conflict.reason
    assert (await project.undo(force=True)).paths == ("made",)
    assert project.files().keys() == {"a.txt"}


async def test_resumed_call_keeps_recorded_entry(project: Recorded) -> None:
    await cut_short(project)
    recorded = project.entries()
    project.history.begin_entry(THREAD, "call", "shell", before=recorded[0].after, turn=1)
    assert project.entries() == recorded


async def test_one_that_had_changed_nothing_yet_is_dropped(project: Recorded) -> None:
    (project.folder / "made").unlink()
    await cut_short(project)
    assert project.entries() == []


async def test_changes_after_next_entry_are_not_attributed(project: Recorded) -> None:
    await project.tool(lambda folder: (folder / "later").write_text("x"), "later")
    await cut_short(project)
    first, second = project.entries()
    assert [[change.path for change in item.changes] for item in (first, second)] == [
        ["made"],
        ["later"],
    ]
    assert second.sure and not first.sure


async def test_finished_calls_and_restores_stay_as_they_are(project: Recorded) -> None:
    await cut_short(project)
    await project.undo(force=True)
    afters = {"before": project.entries()[-1].after, "turn": 1, "reverted": [1]}
    project.history.begin_entry(THREAD, "undo-x", "undo", **afters)
    recorded = project.entries()
    await cut_short(project)
    assert project.entries() == recorded
