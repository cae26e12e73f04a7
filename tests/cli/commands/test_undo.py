import json
import re
import sys
from contextlib import closing
from pathlib import Path

import pytest
from terminal import CONFIRM, READY, Terminal
from thread_history import THREAD, Kept, write

from maxagent.config import paths
from maxagent.memory.database.connection import connect

OTHER = "bbbbbbbb-0000-4000-8000-000000000000"


async def test_undo_shows_its_changes_and_redo_restores(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    undone = kept.mcode("undo", "--yes")
    assert (undone.returncode, undone.stdout) == (0, "")
    assert undone.stderr.splitlines() == [
        "Undo in thread aaaaaaaa (Write):",
        "  restore  a.txt",
        "Restored 1 file",
    ]
    assert (kept.folder / "a.txt").read_text() == "one\n"
    assert kept.mcode("redo", "--yes").returncode == 0
    assert (kept.folder / "a.txt").read_text() == "two\n"


async def test_undo_of_already_restored_turn_continues_before_it(
    kept: Kept,
) -> None:
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    kept.turn = 2
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    write("a.txt", "one\n")(kept.folder)
    idle, undone = kept.mcode("undo"), kept.mcode("undo", "--yes")
    assert "run `mcode undo` again to undo the previous turn" in idle.stderr
    assert (idle.returncode, undone.returncode) == (0, 0)
    assert not (kept.folder / "a.txt").exists()
    assert [kept.mcode("redo", "--yes").stderr.splitlines()[-1] for _ in range(2)] == [
        "Restored 1 file",
        "The files are already in that state",
    ]


@pytest.mark.parametrize("kind", ["undo", "redo"])
def test_nothing_to_take_back_is_reported(kept: Kept, kind: str) -> None:
    result = kept.mcode(kind, "--json")
    assert (result.returncode, len(result.stderr.splitlines())) == (0, 1)
    assert json.loads(result.stdout) == {
        "thread_id": THREAD,
        "kind": kind,
        "files": [],
        "merged": [],
        "conflicts": [],
    }


async def test_undo_defaults_to_latest_thread_with_changes(kept: Kept) -> None:
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    kept.add(OTHER, "Another")
    kept.index.set_status(OTHER, "done")
    assert "Undo in thread aaaaaaaa" in kept.mcode("undo", "--yes").stderr
    assert "Thread bbbbbbbb has nothing" in kept.mcode("undo").stderr
    assert "Redo in thread aaaaaaaa" in kept.mcode("redo", "--yes").stderr


def test_a_folder_without_threads_has_nothing_to_undo(kept: Kept) -> None:
    kept.index.delete(THREAD)
    result = kept.mcode("undo")
    assert (result.returncode, result.stderr.partition("`")[0]) == (2, "error: no threads in ")


async def test_conflicts_are_named_and_left_alone_until_forced(kept: Kept) -> None:
    await kept.tool(write("a.txt", "theirs\n"), "a.txt")
    write("a.txt", "mine\n")(kept.folder)
    result = kept.mcode("undo", "--json")  # nothing is written: nothing has to be asked
    assert result.returncode == 1
    assert [conflict["path"] for conflict in json.loads(result.stdout)["conflicts"]] == ["a.txt"]
    assert re.search(r"`mcode undo [0-9a-f]{8} --force` also", result.stderr)
    assert "No files were restored" in result.stderr
    assert (kept.folder / "a.txt").read_text() == "mine\n"
    assert kept.mcode("undo", "--yes", "--force").returncode == 0
    assert not (kept.folder / "a.txt").exists()
    kept.mcode("redo", "--yes")
    assert (kept.folder / "a.txt").read_text() == "mine\n"


async def test_force_is_named_only_with_a_listed_file(kept: Kept) -> None:
    await kept.shell(write("a.txt", "two\n"), doubtful=["a.txt"])
    result = kept.mcode("undo", "--yes")
    assert "Skipped `a.txt`" in result.stderr and "--force" not in result.stderr


async def test_odd_names_reach_the_terminal_as_text(kept: Kept) -> None:
    await kept.tool(write("\x1b[31m\n.txt", "x"), "\x1b[31m\n.txt")
    assert "  delete  \\x1b[31m .txt\n" in kept.mcode("undo", "--yes").stderr


async def test_odd_titles_reach_the_terminal_as_text(kept: Kept) -> None:
    await kept.tool(write("a.txt", "x"), "a.txt")
    with closing(connect(paths.locate_database(kept.home))) as connection:
        connection.execute("UPDATE threads SET title = ?", ("Write \u202eupwards",))
    assert "(Write \\u202eupwards)" in kept.mcode("undo", "--yes").stderr


async def test_control_characters_in_reasons_are_escaped(kept: Kept) -> None:
    def make(folder: Path) -> None:
        (folder / "a\u202e").mkdir()
        write("a\u202e/b", "x")(folder)

    await kept.tool(make, "a\u202e/b")
    kept.mcode("undo", "--yes")
    write("a\u202e", "a file of the user's")(kept.folder)
    result = kept.mcode("redo").stderr
    assert "`a\\u202e` is no longer a folder" in result and "\u202e" not in result


async def test_redo_of_rewind_reports_conversation_unchanged(kept: Kept) -> None:
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    kept.mcode("undo", "--yes")
    assert "conversation" not in kept.mcode("redo", "--yes").stderr
    await kept.rewind(0)
    assert "this restores only files" in kept.mcode("redo", "--yes").stderr


@pytest.mark.parametrize(("key", "code", "text"), [(CONFIRM, 0, "one\n"), ("n", 1, "two\n")])
async def test_at_a_terminal_it_is_asked_first(kept: Kept, key: str, code: int, text: str) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    argv = [sys.executable, "-m", "maxagent", "undo"]
    environ = {"MAXAGENT_HOME": str(kept.home), "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    with Terminal(argv, kept.folder, environ) as terminal:
        terminal.until("Continue?")
        terminal.until(READY)
        assert (kept.folder / "a.txt").read_text() == "two\n"
        terminal.type(key)
        assert terminal.end() == code
    assert (kept.folder / "a.txt").read_text() == text


async def test_undo_without_human_restores_nothing(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    result = kept.mcode("undo")
    assert (
        result.returncode,
        "this needs your approval, but there is no terminal to ask at" in result.stderr,
    ) == (4, True)
    assert (kept.folder / "a.txt").read_text() == "two\n"


def cut_short(kept: Kept, kind: str) -> None:
    """Make of the last restore one that was killed before it had written anything."""
    with closing(connect(paths.locate_database(kept.home))) as connection:
        connection.execute(
            "UPDATE file_history SET state = 'started' WHERE number ="
            " (SELECT MAX(number) FROM file_history WHERE kind = ?)",
            (kind,),
        )


async def test_undo_after_crashed_undo_only_finishes_it(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    for kept.turn, text in ((1, "two\n"), (2, "three\n")):
        await kept.tool(write("a.txt", text), "a.txt")
    await kept.undo()
    write("a.txt", "three\n")(kept.folder)
    cut_short(kept, "undo")
    result = kept.mcode("undo", "--yes", "--json")
    assert (result.returncode, json.loads(result.stdout)["files"]) == (0, ["a.txt"])
    assert "again to undo the previous turn" in result.stderr
    assert (kept.folder / "a.txt").read_text() == "two\n"
    assert kept.mcode("undo", "--yes").returncode == 0
    assert (kept.folder / "a.txt").read_text() == "one\n"


async def test_step_list_reports_interrupted_undo(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    assert "cut short" not in kept.mcode("rewind").stderr
    await kept.undo()
    cut_short(kept, "undo")
    assert "A restore was interrupted" in kept.mcode("rewind").stderr


async def test_file_skipped_by_finished_undo_sets_exit_code(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    await kept.undo()
    await kept.redo()
    write("a.txt", "the user's\n")(kept.folder)
    cut_short(kept, "redo")
    result = kept.mcode("redo", "--yes", "--json")
    assert [found["path"] for found in json.loads(result.stdout)["conflicts"]] == ["a.txt"]
    assert result.returncode == 1
    assert (kept.folder / "a.txt").read_text() == "the user's\n"


async def test_thread_with_crashed_rewind_can_redo(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    await kept.tool(write("a.txt", "two\n"), "a.txt")
    await kept.rewind(0)
    cut_short(kept, "rewind")
    kept.add(OTHER, "Another")
    kept.index.set_status(OTHER, "done")
    assert "Redo in thread aaaaaaaa" in kept.mcode("redo", "--yes").stderr
    assert (kept.folder / "a.txt").read_text() == "two\n"


async def test_undo_shows_the_given_thread_name(kept: Kept) -> None:
    await kept.tool(write("a.txt", "one\n"), "a.txt")
    kept.index.rename(kept.row.thread_id, "lines")
    assert "Undo in thread aaaaaaaa (lines · Write):" in kept.mcode("undo", "--yes").stderr
    assert "Redo in thread aaaaaaaa (lines · Write):" in kept.mcode("redo", "--yes").stderr
