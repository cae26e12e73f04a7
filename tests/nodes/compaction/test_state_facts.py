"""What the state knows is named in the note, and in which order."""

from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.undo.history import HistoryEntry
from maxagent.nodes.compaction.state_facts import MAX_FILES, build_facts, list_changed_files
from maxagent.nodes.state import State

STATE: State = {"request": "Write.", "folder": "/"}


def change(number: int, path: str) -> HistoryEntry:
    """An entry that adds a file."""
    added = PathChange(path, ABSENT, FileVersion("100644", f"{number:040}"))
    key = f"call-{number}"
    return HistoryEntry(
        number, key, "tool", "write_file", 1, "", "", (added,), (), "done", True, ""
    )


def test_newest_changes_are_named_when_there_are_many() -> None:
    entries = [change(number, f"{1000 - number}.txt") for number in range(1, MAX_FILES + 10)]
    changed = list_changed_files(entries)
    assert changed[0] == f"{1000 - MAX_FILES - 9}.txt"
    facts = build_facts(STATE, [], changed, "")
    assert f"`{changed[0]}`" in facts and "and 9 more" in facts
    assert f"`{changed[-1]}`" not in facts
