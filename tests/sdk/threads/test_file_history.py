import shutil
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from thread_history import THREAD, Kept, write

from maxagent.config.errors import ThreadBusyError, UsageError
from maxagent.config.plan_files import PLANS
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.lease import acquire_lease
from maxagent.sdk.threads.file_history import open_leased_files, open_thread_files


async def test_no_restore_is_planned_without_changes(kept: Kept) -> None:
    files = open_thread_files(kept.row, kept.home)
    assert [await files.plan_restore(kind) for kind in ("undo", "redo", "rewind")] == [None] * 3


async def test_restore_is_planned_before_it_is_applied(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    (kept.folder / PLANS).mkdir(parents=True)
    write(f"{PLANS}/plan.md", "1. one\n")(kept.folder)  # which is no file of the thread's
    with open_leased_files(kept.row, kept.home) as files:
        way = await files.plan_restore("undo")
        assert way and [change.path for change in way.plan.changes] == ["a.txt"]
        assert (kept.folder / "a.txt").read_text() == "two\n"
        await way.apply()
        assert (kept.folder / "a.txt").read_text() == "one\n"
        back = await files.plan_restore("redo")
        assert back and (await back.apply()).paths == ("a.txt",)
    assert [entry.kind for entry in files.read_entries()] == ["tool", "undo", "redo"]


async def test_rewind_reverts_changes_after_an_entry(kept: Kept) -> None:
    for name in "abc":
        await kept.shell(write(f"{name}.txt", name))
    with open_leased_files(kept.row, kept.home) as files:
        way = await files.plan_restore("rewind", after=1)
        assert way and (await way.apply()).paths == ("b.txt", "c.txt")
    assert [path.name for path in kept.folder.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("name", ["old.txt", "new.txt"])
async def test_a_moved_file_is_undone_whole(kept: Kept, name: str) -> None:
    for each in ("old.txt", "other.txt"):
        write(each, f"{each}\n")(kept.folder)

    def move(folder: Path) -> None:
        (folder / "old.txt").rename(folder / "new.txt")
        (folder / "other.txt").unlink()

    await kept.shell(move)
    with open_leased_files(kept.row, kept.home) as files:
        pending = await files.plan_restore("undo", paths=[name])
        assert pending and (await pending.apply()).paths == ("new.txt", "old.txt")
        assert [path.name for path in kept.folder.iterdir()] == ["old.txt"]
        back = await files.plan_restore("redo")
        assert back and (await back.apply()).paths == ("new.txt", "old.txt")


async def test_one_file_is_undone_and_redone_alone(kept: Kept) -> None:
    write("a.txt", "mine\n")(kept.folder)

    def change(folder: Path) -> None:
        (folder / "new").mkdir()
        for name in ("a.txt", "b.txt", "new/c.txt"):
            write(name, "first\n")(folder)

    await kept.shell(change)
    kept.turn = 2
    await kept.tool(write("a.txt", "second\n"), "a.txt")
    files = open_thread_files(kept.row, kept.home)

    async def restore(kind: Literal["undo", "redo"], *paths: str) -> None:
        with open_leased_files(kept.row, kept.home) as leased:
            way = await leased.plan_restore(kind, paths=paths)
            assert way
            await way.apply()

    def read() -> dict[str, str]:
        files = [path for path in kept.folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(kept.folder)): path.read_text() for path in files}

    both = {"b.txt": "first\n", "new/c.txt": "first\n"}
    await restore("undo", "a.txt")
    assert read() == {"a.txt": "mine\n", **both}
    assert files.list_restorable()[0][0] == "b.txt" and files.list_restorable()[1]
    await restore("redo")
    assert read() == {"a.txt": "second\n", **both}
    await restore("undo", "new/c.txt")
    await restore("undo", "a.txt")
    await restore("undo")  # what is left of the turn before
    assert read() == {"a.txt": "mine\n"}
    assert files.list_restorable() == ([], True)


async def test_diff_covers_only_files_of_thread(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    await kept.tool(write("b.txt", "new\n"), "b.txt")
    write("a.txt", "two\nmine\n")(kept.folder)
    write("mine.txt", "mine\n")(kept.folder)
    files = open_thread_files(kept.row, kept.home)
    assert [line for line in (await files.diff()).splitlines() if line[0] in "+-"] == [
        *("--- a/a.txt", "+++ b/a.txt", "-one", "+two", "+mine"),
        *("--- /dev/null", "+++ b/b.txt", "+new"),
    ]
    assert "b.txt" not in await files.diff(upto=1) and "+mine" not in await files.diff(upto=1)
    assert "a.txt" not in await files.diff(after=1)
    assert await files.diff(after=1, upto=1) == await files.diff(upto=0) == ""


async def test_what_a_killed_call_did_is_not_forgotten(kept: Kept) -> None:
    before = await kept.snapshots.take()
    kept.history.begin_entry(kept.row.thread_id, "call", "shell", before=before, turn=1, tool="x")
    write("a.txt", "one\n")(kept.folder)
    files = open_thread_files(kept.row, kept.home)
    assert await files.finish_interrupted() is None
    way = await files.plan_restore("undo")
    assert way and [conflict.path for conflict in way.plan.conflicts] == ["a.txt"]


@pytest.mark.parametrize("ran_beside", [True, False], ids=["beside", "months before"])
async def test_file_of_another_thread_is_not_dropped_silently(kept: Kept, ran_beside: bool) -> None:
    other = "bbbbbbbb-0000-4000-8000-000000000000"
    kept.add(other, "Delete")
    write("a.txt", "months of work\n")(kept.folder)
    entry = await kept.shell(lambda folder: (folder / "a.txt").unlink(), doubtful=["a.txt"])
    assert entry
    kept.history.begin_entry(other, "theirs", "tool", before=entry.before, turn=1)
    kept.history.finish_entry(other, "theirs", after=entry.after, changes=entry.changes)
    with closing(connect(kept.database)) as connection:
        for thread, key in ((THREAD, entry.key), (other, "theirs")):
            day = "2027-01-01" if ran_beside or thread == THREAD else "2026-01-01"
            connection.execute("UPDATE file_history SET created_at = ? WHERE key = ?", (day, key))
            connection.execute(
                "INSERT INTO journal VALUES (?, ?, '', 1, 'done', '{}', ?, ?, 1, NULL)",
                (thread, key, day, f"{day}T01"),
            )
    with open_leased_files(kept.row, kept.home) as files:
        way = await files.plan_restore("undo")
        assert way and [conflict.path for conflict in way.plan.conflicts] == ["a.txt"]
        assert ("another thread" in way.plan.conflicts[0].reason) == ran_beside
        assert bool(way.plan.doubtful) != ran_beside
        assert [c.path for c in (await way.apply()).conflicts] == ["a.txt"]
        again = await files.plan_restore("undo")
        assert (again is None) == ran_beside


def test_a_folder_that_is_gone_is_reported(kept: Kept) -> None:
    shutil.rmtree(kept.folder)
    with pytest.raises(UsageError, match="the folder of thread `aaaaaaaa` does not exist"):
        open_thread_files(kept.row, kept.home)


def test_files_of_running_thread_raise_thread_busy(kept: Kept) -> None:
    with (
        acquire_lease(kept.home, kept.row.thread_id),
        pytest.raises(ThreadBusyError),
        open_leased_files(kept.row, kept.home),
    ):
        pass
