from contextlib import closing
from pathlib import Path

import pytest

from maxagent.config import paths
from maxagent.memory.database.connection import connect
from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.undo.history import FileHistory

ADDED = PathChange("new\udcff.txt", ABSENT, FileVersion("100644", "1" * 40))
EDITED_TO = FileVersion("100644", "1" * 40), FileVersion("100755", "2" * 40)
EDITED = PathChange("a.txt", *EDITED_TO)


@pytest.fixture
def history(tmp_path: Path) -> FileHistory:
    return FileHistory(tmp_path / "threads.db")


def record(history: FileHistory, key: str, thread: str = "t", **value: object):
    history.begin_entry(thread, key, "tool", before="b", turn=1, tool="edit")
    return history.finish_entry(thread, key, **{"after": "a", "changes": [EDITED], **value})


def test_entries_are_numbered_within_their_thread(history: FileHistory) -> None:
    numbers = [record(history, key, thread).number for thread in "tu" for key in "xyz"]
    assert numbers == [1, 2, 3, 1, 2, 3]


def test_an_entry_comes_back_as_it_was_recorded(history: FileHistory) -> None:
    finished = record(history, "call", changes=[ADDED, EDITED])
    assert history.list_entries("t") == [finished]
    assert history.get_last_entry("t") == finished
    assert finished.changes == (ADDED, EDITED)
    assert (finished.before, finished.after, finished.state, finished.sure) == (
        ("b", "a", "done", True)
    )


def test_what_changed_nothing_leaves_no_entry(history: FileHistory) -> None:
    assert record(history, "call", changes=[]) is None
    assert history.get_last_entry("t") is None


def test_entry_started_twice_is_one_and_unsure(history: FileHistory) -> None:
    first = history.begin_entry("t", "call", "shell", before="b", turn=1)
    again = history.begin_entry("t", "call", "shell", before="later", turn=1)
    assert (first.sure, again.sure, again.before) == (True, False, "b")
    finished = history.finish_entry("t", "call", after="a", changes=[EDITED])
    assert finished and not finished.sure


def test_what_is_marked_as_unsure_is_so(history: FileHistory) -> None:
    assert not record(history, "call", sure=False).sure


def test_entry_never_finished_stays_started(history: FileHistory) -> None:
    history.begin_entry(
        "t", "undo-1", "undo", before="b", turn=1, changes=[EDITED], reverted=[3, 4]
    )
    entry = history.get_last_entry("t")
    assert entry and (entry.state, entry.changes, entry.reverted) == ("started", (EDITED,), (3, 4))


def test_what_happened_is_recorded_at_once(history: FileHistory, tmp_path: Path) -> None:
    """A process that is killed in between would leave an entry without its end."""
    history.record_entry("t", "first", "others", before="b", after="a", turn=1, changes=[])
    assert history.list_entries("t") == []
    with closing(connect(tmp_path / "threads.db")) as connection:
        for verb in ("UPDATE", "DELETE"):
            connection.execute(
                f"CREATE TRIGGER no_{verb} BEFORE {verb} ON file_history"
                " BEGIN SELECT RAISE(ABORT, 'a second write'); END"
            )
    history.record_entry("t", "next", "others", before="b", after="a", turn=1, changes=[EDITED])
    (entry,) = history.list_entries("t")
    assert (entry.state, entry.after, entry.changes, entry.sure) == ("done", "a", (EDITED,), True)


def test_entries_can_be_asked_from_a_number_on(history: FileHistory) -> None:
    for key in "xyz":
        record(history, key)
    assert [entry.key for entry in history.list_entries("t", after=1)] == ["y", "z"]


def test_changes_of_other_threads_since_are_found(tmp_path: Path) -> None:
    index, history = ThreadIndex(tmp_path), FileHistory(paths.locate_database(tmp_path))
    for thread, folder in (("mine", "/p"), ("beside", "/p"), ("elsewhere", "/q")):
        texts = {"title": "", "folder": folder, "graph": "task", "request": "", "options": {}}
        index.record_thread(thread_id=thread, **texts)
    before = [PathChange("old", ABSENT, EDITED.new)]
    record(history, "before", "beside", changes=before)
    mine = history.begin_entry("mine", "call", "shell", before="b", turn=1)
    assert history.find_claims_since(mine, "mine") == set()
    record(history, "x", "beside", changes=[EDITED])
    record(history, "x", "elsewhere", changes=[ADDED])
    record(history, "x", "unlisted", changes=[ADDED])
    for kind in ("others", "shell"):
        history.begin_entry("beside", kind, kind, before="b", turn=1)
        path_change = PathChange("named", ABSENT, EDITED.new)
        changes = [ADDED, path_change] if kind == "shell" else [ADDED]
        history.finish_entry("beside", kind, after="a", changes=changes, doubtful=[ADDED.path])
    history.begin_entry(
        "beside", "u", "undo", before="b", turn=1, changes=[PathChange("u", *EDITED_TO)]
    )
    since = {("a.txt", EDITED.new), ("named", EDITED.new), ("u", EDITED_TO[1])}
    assert history.find_claims_since(mine, "mine") == since
    assert history.find_commands_since("mine", mine) == {"beside"}
    assert history.find_running_commands("mine") == set()
    history.begin_entry("beside", "runs", "shell", before="b", turn=1)
    assert history.find_running_commands("mine") == {"beside"}


CLAIMS = {
    "ended long before": ("09:00", "09:05", {}, False),
    "began before and ended meanwhile": ("09:00", "10:05", {}, True),
    "ran within": ("10:02", "10:03", {}, True),
    "began within and ended after": ("10:05", "10:20", {}, True),
    "ran all the time": ("09:00", "10:20", {}, True),
    "began after": ("10:11", "10:12", {}, False),
    "its end is unknown": ("10:02", None, {}, False),
    "it is not sure": ("10:02", "10:03", {"sure": False}, False),
    "it doubts the file itself": ("10:02", "10:03", {"doubtful": ["a.txt"]}, False),
}


@pytest.mark.parametrize("case", CLAIMS)
@pytest.mark.parametrize("is_first", [True, False], ids=["first", "second"])
def test_only_calls_that_ran_beside_claim(tmp_path: Path, case: str, is_first: bool) -> None:
    start, end, value, expected = CLAIMS[case]
    index, history = ThreadIndex(tmp_path), FileHistory(paths.locate_database(tmp_path))
    texts = {"title": "", "folder": "/p", "graph": "task", "request": "", "options": {}}
    times = {"beside": (start, end), "mine": ("10:00", "10:10")}
    for thread in times if is_first else reversed(times):
        index.record_thread(thread_id=thread, **texts)
        record(history, f"call-{thread}", thread, **(value if thread == "beside" else {}))
    with closing(connect(paths.locate_database(tmp_path))) as connection:
        for thread, (first, last) in times.items():
            connection.execute(
                "UPDATE file_history SET created_at = ? WHERE thread_id = ?", (first, thread)
            )
            connection.execute(
                "INSERT INTO journal VALUES (?, ?, '', 1, 'done', '{}', ?, ?, 1, NULL)",
                (thread, f"call-{thread}", first, last),
            )
    (mine,) = history.list_entries("mine")
    claims = {(EDITED.path, EDITED.new)} if expected else set()
    assert history.find_claims(mine, "mine") == claims


def test_finished_restore_records_reverted_entries(history: FileHistory) -> None:
    def undo(key: str, changes: list[PathChange], reverted: list[int]):
        value = {"changes": [EDITED], "reverted": [1, 2], "left": ["x"]}
        begin_entry = history.begin_entry("t", key, "undo", before="b", turn=1, **value)
        assert begin_entry.skipped == {"x"}
        return history.finish_entry(
            "t", key, after="a", changes=changes, reverted=reverted, left=["x", "new\udcff.txt"]
        )

    assert undo("nothing done", [], []) is None
    partly, idle = undo("partly", [EDITED], [2]), undo("nothing to do", [], [1, 2])
    assert partly and (partly.changes, partly.reverted) == ((EDITED,), (2,))
    assert idle and (idle.changes, idle.reverted) == ((), (1, 2))
    assert idle.skipped == {"x", "new\udcff.txt"}
