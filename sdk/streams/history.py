"""A thread as the database has it, as data: what a client is sent first. Loads no LangGraph."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ...config import paths
from ...memory.checkpoints.row_data import get_mapping
from ...memory.checkpoints.thread_facts import read_turn_start, read_values
from ...memory.checkpoints.writes import read_last_text
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.journal import list_outcomes
from ...memory.threads.record import ThreadRow
from ..threads.transcript import TranscriptEntry, read_transcript

_ROW = (
    "thread_id",
    "title",
    "name",
    "folder",
    "graph",
    "status",
    "created_at",
    "updated_at",
    "parent",
    "parent_step",
    "steps",
    "questions",
    "holder",
)
# As the page has it; what follows a mark of Markdown is no letter
_QUESTION_END = re.compile(r"[?？][\W_]*$")
# Commands whose exit code is that of tests, as the page has it
_TESTING = re.compile(
    r"\b(pytest|unittest|jest|vitest|rspec|phpunit|ctest|tox|nox|"
    r"(npm|pnpm|yarn|bun|deno|cargo|go|make|mvn|gradle|dotnet|swift|mix|rake)( run)? test)\b[^|;]*$"
)
# What a call that a list tells of has
_TOLD = {"exit_code", "diff"}
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])(?=\w)|\n+")


def describe_thread(row: ThreadRow) -> dict[str, Any]:
    """Return what a list of threads shows of one."""
    return {name: getattr(row, name) for name in _ROW}


def read_history(row: ThreadRow, home: Path) -> Mapping[str, Any]:
    """Return a thread with its entries; what is empty in an entry is left out. Blocks.

    Open questions are left out: `list_open_questions` has all of each.
    """
    entries = read_transcript(row, home, thinking=True)
    described = [describe_entry(entry) for entry in entries if entry.kind != "question"]
    chosen = _read_chosen(row, home)
    return {"thread": describe_thread(row), "entries": described, "chosen": chosen}


def describe_last_turn(row: ThreadRow, home: Path) -> Mapping[str, Any]:
    """Return how the last turn went: failures, tests, changed lines; nothing empty. Blocks."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        since = read_turn_start(connection, row.thread_id)
        outcomes = list_outcomes(connection, row.thread_id, since)
    if not any(
        each.get("error") or _TOLD & get_mapping(each, "metadata").keys() for each in outcomes
    ):
        return {}
    entries = read_transcript(row, home)
    last = max((at for at, each in enumerate(entries) if each.kind == "human"), default=0)
    return summarize_turn(entries[last:], row.status)


def summarize_turn(entries: Sequence[TranscriptEntry], status: str) -> Mapping[str, Any]:
    """Return what a list says of a turn of a thread with this status; nothing empty."""
    turn = [each for each in entries if each.kind in ("call", "tests")]
    diffs = [str(each.facts.get("diff") or "") for each in turn if each.ok]
    lines = [line for diff in diffs for line in diff.splitlines()]
    facts = {
        "failed": len(_list_failures(turn)),
        "is_failed": status == "idle" and _has_failed(turn),
        "tests": find_verdict(turn),
        "added": sum(line[:1] == "+" for line in lines if line[:4] != "+++ "),
        "removed": sum(line[:1] == "-" for line in lines if line[:4] != "--- "),
    }
    return {name: fact for name, fact in facts.items() if fact}


def find_verdict(turn: Sequence[TranscriptEntry]) -> str:
    """Return what the last tests of a turn say; empty: none ran, or a file was changed after it."""
    tested = [at for at, each in enumerate(turn) if each.kind == "tests" or _runs_tests(each)]
    if not tested or any(each.ok and each.facts.get("diff") for each in turn[tested[-1] :]):
        return ""
    last = turn[tested[-1]]
    return str(last.facts.get("verdict") or ("passed" if last.ok else "failed"))


def _runs_tests(call: TranscriptEntry) -> bool:
    command = str(call.args.get("command") or "")
    return "exit_code" in call.facts and bool(_TESTING.search(command))


def _has_failed(turn: Sequence[TranscriptEntry]) -> bool:
    """Tell whether a turn has ended with a failed command, or with tests that fail."""
    calls = [each for each in turn if each.kind == "call"][-1:]
    is_last = any(each in calls and "exit_code" in each.facts for each in _list_failures(turn))
    return is_last or find_verdict(turn) == "failed"


def _list_failures(turn: Sequence[TranscriptEntry]) -> list[TranscriptEntry]:
    """Return the calls of a turn that have failed, and did not go well later."""
    calls = [each for each in turn if each.kind == "call"]
    subjects = [(each.ok, _get_subject(each)) for each in calls]
    return [
        call
        for at, call in enumerate(calls)
        if call.ok is False and (True, subjects[at][1]) not in subjects[at:]
    ]


def _get_subject(call: TranscriptEntry) -> str:
    """Return what a call is about: one that goes well mends an earlier one of the same."""
    args = call.args
    subject = args.get("command") or args.get("file_path")
    return f"{call.tool} {subject or json.dumps(args, sort_keys=True)}"


def find_turn_start(row: ThreadRow, home: Path) -> str:
    """Return when the last request was made: ISO 8601, UTC; empty: none was. Blocks."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        return read_turn_start(connection, row.thread_id)


def find_last_question(thread_id: str, home: Path) -> str:
    """Return the question that the last answer ends with; empty if it ends otherwise. Blocks."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        answer = read_last_text(connection, thread_id)
    return extract_question(answer)


def extract_question(answer: str) -> str:
    """Return the question that a text ends with; empty if it ends otherwise."""
    return _SENTENCE_END.split(answer.strip())[-1] if _QUESTION_END.search(answer) else ""


def _read_chosen(row: ThreadRow, home: Path) -> dict[str, Any]:
    """Return the model, approval mode and plan mode that were chosen for the thread last."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        options = get_mapping(read_values(connection, row.thread_id), "options") or row.options
    return {
        name: value for name in ("model", "mode", "plan") if (value := (options or {}).get(name))
    }


def describe_entry(entry: TranscriptEntry) -> dict[str, Any]:
    """Return an entry without what is empty in it; an edited call as it ran."""
    if args := get_mapping(entry.facts, "edited"):
        _, _, result = entry.result.partition("\n\n")
        entry = replace(entry, args=args, result=result, facts={**entry.facts, "edited": True})
    return {name: value for name, value in asdict(entry).items() if value or name == "ok"}
