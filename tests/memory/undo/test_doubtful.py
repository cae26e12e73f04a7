"""Changes that others may have made while a command ran."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from acts import LINES, sh, three_files, write
from recorded_project import THREAD, Recorded

from maxagent.memory.database.migrations import MIGRATIONS
from maxagent.memory.undo.history import FileHistory
from maxagent.memory.undo.restore_plan import DoubtPolicy, plan_restore
from maxagent.memory.undo.undo_stack import drop_claimed, find_last_turn


@pytest.fixture
def project(tmp_path: Path) -> Recorded:
    return three_files(tmp_path)


async def undo(project: Recorded, doubtful: DoubtPolicy) -> tuple[set[str], set[str]]:
    """Files of the plan, and files that it leaves."""
    planned = await plan_restore(
        project.snapshots, find_last_turn(project.entries()), doubtful=doubtful
    )
    return {c.path for c in planned.changes}, {c.path for c in planned.conflicts}


async def test_a_doubtful_file_is_kept_taken_or_theirs(project: Recorded) -> None:
    await project.shell(sh("echo x > new; rm a.txt; echo y > b.txt"), doubtful=["new", "b.txt"])
    assert await undo(project, "keep") == ({"a.txt"}, {"new", "b.txt"})
    assert await undo(project, "take") == ({"a.txt", "new", "b.txt"}, set())
    assert await undo(project, "theirs") == ({"a.txt"}, set())
    forced = await plan_restore(project.snapshots, find_last_turn(project.entries()), force=True)
    assert {c.path for c in forced.changes} == {"a.txt", "new", "b.txt"}


async def test_what_is_gone_by_now_is_not_asked(project: Recorded) -> None:
    await project.shell(sh("echo x > new"), doubtful=["new"])
    (project.folder / "new").unlink()
    assert await undo(project, "keep") == (set(), set())


async def test_tool_edit_of_doubtful_file_is_undone_alone(project: Recorded) -> None:
    await project.shell(write("new", LINES), doubtful=["new"])
    await project.tool(write("new", LINES + b"more\n"), "new")
    planned = await plan_restore(
        project.snapshots, find_last_turn(project.entries()), doubtful="theirs"
    )
    await project.back_by(planned)
    assert project.files()["new"] == ("100644", LINES)


async def test_what_another_thread_claims_is_not_asked(project: Recorded) -> None:
    entry = await project.shell(sh("echo x > new; echo y > other"), doubtful=["new", "other"])
    assert entry
    (claimed,) = [(c.path, c.new) for c in entry.changes if c.path == "new"]
    assert [c.path for c in drop_claimed(entry, {claimed}).changes] == ["other"]


async def test_version_2_history_marks_new_files_doubtful(tmp_path: Path) -> None:
    path = tmp_path / "threads.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("".join(MIGRATIONS[:2]) + "PRAGMA user_version = 2;")
        blob = "a" * 40
        added = f'[["new", ["000000", "{"0" * 40}"], ["100644", "{blob}"]]]'
        for number, kind in enumerate(("shell", "tool"), 1):
            connection.execute(
                "INSERT INTO file_history VALUES (?, ?, ?, ?, '', 1, '[]', 'x', 'y', ?, 'done', 1,"
                " '2026-01-01T00:00:00+00:00', '[]')",
                (THREAD, number, f"call-{number}", kind, added),
            )
        connection.commit()
    shell, tool = FileHistory(path).list_entries(THREAD)
    assert (shell.doubtful, tool.doubtful) == (frozenset({"new"}), frozenset())
    assert shell.changes[0].new.permissions is None
