"""What the state knows is named in the note, and in which order."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from maxagent.memory.snapshots.file_version import ABSENT, FileVersion, PathChange
from maxagent.memory.undo.history import HistoryEntry
from maxagent.nodes.compaction.note_parts import (
    MAX_FILES,
    build_facts,
    build_standing_notes,
    list_changed_files,
    store_requests,
)
from maxagent.nodes.options import Options
from maxagent.nodes.state import State

STATE: State = {"request": "Write.", "folder": "/"}
SCHEMA: dict[str, Any] = {"type": "object", "required": ["total"]}
PLAN = Options(plan=True, plan_file=".plan.md", speaker="plan")


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


@pytest.mark.parametrize(
    ("role", "options", "expected"),
    [
        ("build", Options(), []),
        ("build", Options(speaker="general", plan_file=".plan.md"), []),
        ("build", Options(schema=SCHEMA), ['"required": ["total"]']),
        ("plan", PLAN, ["in plan mode", "`.plan.md`"]),
        ("plan", Options(**PLAN, schema=SCHEMA), ["in plan mode", '"total"']),
        ("coder", Options(**PLAN, schema=SCHEMA), []),
    ],
)
def test_notes_that_hold_are_repeated(role: Any, options: Options, expected: list[str]) -> None:
    notes = build_standing_notes({"request": "Plan it", "folder": "/", "options": options}, role)
    assert bool(notes) == bool(expected)
    assert [text for text in expected if text not in notes] == []


def test_a_long_message_is_stored_in_lines_to_read(tmp_path: Path) -> None:
    message = HumanMessage("first\n" + "word " * 2_000, id="brief-1")
    stored = store_requests([message], ["brief-1"], tmp_path / "outputs")
    assert stored == {"brief-1": "message-brief-1"}
    lines = (tmp_path / "outputs" / "message-brief-1.txt").read_text().splitlines()
    assert lines[0] == "first"
    assert max(map(len, lines)) <= 500
    assert sum(line.count("word") for line in lines) == 2_000
