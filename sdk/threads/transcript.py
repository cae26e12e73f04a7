"""Transcript of a thread: messages, calls and results.

Read from the database alone; does not load LangGraph.
"""

import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, cast

from ...config import paths
from ...memory.checkpoints.open_questions import OpenQuestion, read_open_questions
from ...memory.checkpoints.row_data import extract_text, filter_mappings, get_mapping, to_int
from ...memory.checkpoints.tables import read_last_id
from ...memory.checkpoints.writes import ChannelWrite, read_channel_writes
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.journal import SECOND_RUN
from ...memory.threads.lease import find_holder
from ...memory.threads.pull_requests import read_record
from ...memory.threads.record import ThreadRow
from ...memory.threads.sub_runs import SubRun, read_sub_runs
from .children import derive_child_status, measure_seconds

# Nodes that pass on the user's messages, besides the request. Other messages to a role are the
# graph's own and already shown.
HUMAN_INPUT_NODES = ("review", "")
# Calls before a fork are recorded under the thread that made them
_RESULTS = """
    WITH RECURSIVE family(id) AS (
        VALUES (:thread) UNION SELECT parent FROM threads JOIN family ON thread_id = family.id
    )
    SELECT call_id, result FROM family CROSS JOIN journal ON thread_id = family.id
    WHERE state = 'done' ORDER BY call_id
"""

# The part that the model had sent of the answer after a checkpoint.
_PARTIAL_ANSWER = (
    "SELECT started_at, result FROM journal WHERE thread_id = ? AND call_id = 'answer' AND tool = ?"
)

# aside: side context of the user's message, such as piped text; interrupted: the partial text of an
# interrupted answer, empty if there was none; thinking: the reasoning before an answer, only where
# it is asked for; compacted: the summary that the model reads from here
# on in place of older messages, empty if it reads all of them again; subagent: one that the call
# before it has sent.
EntryKind = Literal[
    "human",
    "aside",
    "thinking",
    "answer",
    "interrupted",
    "call",
    "mode",
    "tests",
    "outcome",
    "question",
    "shortened",
    "compacted",
    "subagent",
]
# Statuses of threads whose turn is incomplete
STOPPED_STATUSES = ("interrupted", "limit", "failed")
# Of a cut, for display
CUT_FACTS = ("made_by", "before", "after")
Facts = Mapping[str, Mapping[str, Any]]
# The entries of sub-agents by the call that has sent them
Sent = Mapping[str, "Sequence[TranscriptEntry]"]
EMPTY: Sent = {}


@dataclass(frozen=True)
class TranscriptEntry:
    """One message or action."""

    kind: EntryKind
    at: str
    """ISO 8601, UTC."""
    text: str = ""
    """The text; for tests their command, for a mode its name, for a sub-agent its task's first
    line."""
    role: str = ""
    """The role that answered, called, or sent a sub-agent."""
    step: int = 0
    """Number of the model answer that it belongs to."""
    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ok: bool | None = None
    """Whether a call succeeded; None: it has no result yet."""
    result: str = ""
    """The result as sent to the model; of a sub-agent its report."""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Other facts of a call, such as its `diff`; for tests their evidence; of a sub-agent its
    `status`, `requests`, `tokens`, `cost`, `seconds` and `worktree`."""
    agent: str = ""
    """ID of the sub-agent that was sent, or asks, such as `explore-1`; empty: the thread's own."""
    question: str = ""
    """ID of an open question, which an answer names."""
    call_id: str = ""
    """ID of a call, as in the events of the run."""


def read_transcript(row: ThreadRow, home: Path, *, thinking: bool = False) -> list[TranscriptEntry]:
    """Return the thread's entries so far; for one that has not started, its request.

    With `thinking` also the model's reasoning, where the provider's answers have it.
    """
    with _open_database(home) as connection:
        rows = list(read_channel_writes(connection, row.thread_id))
        recorded = _read_results(connection, row.thread_id)
        half = _read_partial_answer(connection, row, home) if rows else []
        asked = read_questions(connection, row) if row.status == "waiting" else []
        children = read_sub_runs(connection, row.thread_id)
    sent = _build_child_entries(children, row, rows)
    entries = _build_entries(rows, recorded, sent)
    questions = [_build_question_entries(question, rows[-1].at) for question in asked if rows]
    entries = chain(_drop_repeated_modes(entries), half, *questions)
    story = _insert_interruptions(entries, is_stopped=row.status in STOPPED_STATUSES)
    visible = [entry for entry in story if thinking or entry.kind != "thinking"]
    return visible or [TranscriptEntry("human", row.created_at, row.request)]


def read_questions(connection: sqlite3.Connection, row: ThreadRow) -> list[OpenQuestion]:
    """Return what the thread waits for; last, whether to open its pull request."""
    if row.status not in ("waiting", "limit"):
        return []
    questions = read_open_questions(connection, row.thread_id)
    record = read_record(connection, row.thread_id)
    if record and record.state == "asked":
        from ..pull_requests.proposal import build_open_question

        questions.append(build_open_question(record))
    return questions


def read_child_transcript(row: ThreadRow, home: Path, child: SubRun) -> list[TranscriptEntry]:
    """Return the entries of a sub-agent so far: its task is the first."""
    with _open_database(home) as connection:
        rows = list(read_channel_writes(connection, row.thread_id, child.namespace))
        recorded = _read_results(connection, row.thread_id)
        asked = read_open_questions(connection, row.thread_id) if row.status == "waiting" else []
    own = [question for question in asked if question.agent == child.sub_id]
    questions = [_build_question_entries(question, rows[-1].at) for question in own if rows]
    story = list(chain(_build_entries(drop_earlier_child(rows), recorded), *questions))
    return story or [TranscriptEntry("human", child.started_at, child.title)]


def drop_earlier_child(rows: list[ChannelWrite]) -> list[ChannelWrite]:
    """Drop the conversation that a child goes on with: an earlier child's transcript has it."""
    return [row for row in rows if (row.node, row.channel) != ("__start__", "messages")]


def read_stored_writes(row: ThreadRow, home: Path, namespace: str = "") -> list[ChannelWrite]:
    """Return the writes of the thread, or of the child with that namespace."""
    with _open_database(home) as connection:
        return list(read_channel_writes(connection, row.thread_id, namespace))


@contextmanager
def _open_database(home: Path) -> Generator[sqlite3.Connection]:
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        yield connection


def _read_results(connection: sqlite3.Connection, thread_id: str) -> Facts:
    """Return the facts of each call's result, by its ID."""
    facts: dict[str, Mapping[str, Any]] = {}
    for call_id, result in connection.execute(_RESULTS, {"thread": thread_id}):
        with suppress(ValueError, TypeError):  # another program may have written it
            # a second run's key sorts after the first's
            facts[call_id.removesuffix(SECOND_RUN)] = get_mapping(json.loads(result), "metadata")
    return facts


def _read_partial_answer(
    connection: sqlite3.Connection, row: ThreadRow, home: Path
) -> list[TranscriptEntry]:
    """Return a killed run's partial answer; the next run adds it to the thread."""
    if row.status not in ("running", "interrupted") or find_holder(home, row.thread_id):
        return []
    parameters = (row.thread_id, read_last_id(connection, row.thread_id))
    answer_row = connection.execute(_PARTIAL_ANSWER, parameters).fetchone()
    text = json.loads(answer_row[1])["output"] if answer_row else ""
    return [TranscriptEntry("interrupted", answer_row[0], text)] if text.strip() else []


def _collect_answers(rows: list[ChannelWrite]) -> dict[str, Mapping[str, Any]]:
    """Return the message with the result of each call, by its ID."""
    return {
        str(row.value.get("tool_call_id")): row.value
        for row in rows
        if row.channel == "messages" and row.value and row.value.get("type") == "tool"
    }


def _build_child_entries(
    children: Sequence[SubRun], row: ThreadRow, rows: list[ChannelWrite]
) -> Sent:
    """Return the entries of the sub-agents by the call that has sent them."""
    answered = _collect_answers(rows).keys() if children else ()
    sent: dict[str, list[TranscriptEntry]] = {}
    for child in children:
        status = derive_child_status(child, row, answered)
        entry = TranscriptEntry(
            "subagent",
            child.started_at,
            child.title,
            ok=None if status in ("running", "waiting", "interrupted") else status == "done",
            result=child.report,
            facts={
                "status": status,
                "requests": child.requests,
                "tokens": child.tokens,
                "cost": child.cost,
                "seconds": measure_seconds(child),
                "worktree": child.worktree,
            },
            agent=child.sub_id,
        )
        sent.setdefault(child.call_id, []).append(entry)
    return sent


def _build_entries(
    rows: list[ChannelWrite], recorded: Facts, sent: Sent = EMPTY
) -> Iterator[TranscriptEntry]:
    answers = _collect_answers(rows)
    cut_short = set[str]()
    for row in rows:
        match row.channel:
            case "request":
                yield from _build_user_entry(row, row.value)
            case "messages" if row.value is None:
                yield TranscriptEntry("shortened", row.at)
            case "messages" if _is_repeated(row.value, cut_short):
                pass
            case "messages":
                yield from _build_message_entries(row, answers, recorded, sent)
            case _:
                yield from _build_event_entry(row)


def _is_repeated(message: Mapping[str, Any], cut_short: set[str]) -> bool:
    """Return whether the message is already shown as an interrupted answer."""
    more, name = get_mapping(message, "additional_kwargs"), str(message.get("id"))
    if more.get("told"):
        return name in cut_short
    cut_short |= {name} if more.get("interrupted") else set()
    return False


def _drop_repeated_modes(passages: Iterator[TranscriptEntry]) -> Iterator[TranscriptEntry]:
    """Show a mode only where it changes; a conversation starts in build mode."""
    mode = ("build", "build")
    for passage in passages:
        if passage.kind != "mode":
            yield passage
        elif (passage.text, passage.role) != mode:
            mode = (passage.text, passage.role)
            yield passage


def _insert_interruptions(
    passages: Iterator[TranscriptEntry], *, is_stopped: bool
) -> Iterator[TranscriptEntry]:
    """Mark each message that was not answered before the next one, or the end, as interrupted."""
    open_since = ""
    for passage in passages:
        if passage.kind == "human":
            if open_since:
                yield TranscriptEntry("interrupted", open_since)
            open_since = passage.at
        elif passage.kind not in ("aside", "mode", "compacted"):
            open_since = ""
        yield passage
    if open_since and is_stopped:
        yield TranscriptEntry("interrupted", open_since)


def _build_user_entry(row: ChannelWrite, words: object) -> Iterator[TranscriptEntry]:
    if isinstance(words, str) and row.node in ("__start__", *HUMAN_INPUT_NODES):
        yield TranscriptEntry("human", row.at, words)


def _build_event_entry(row: ChannelWrite) -> Iterator[TranscriptEntry]:
    """Yield an entry for a new mode, a test run, or the end of a task."""
    value = row.value
    if row.channel == "told" and isinstance(value, list) and value:
        mode, *speaker = map(str, cast("list[object]", value))
        yield TranscriptEntry("mode", row.at, mode, role="".join(speaker))
    elif row.channel == "evidence" and isinstance(value, dict):
        facts = cast("dict[str, Any]", value)
        yield TranscriptEntry("tests", row.at, str(facts.get("command", "")), facts=facts)
    elif row.channel == "cuts" and isinstance(value, dict):
        cuts = cast("dict[str, Mapping[str, Any] | None]", value)
        yield from (_build_cut_entry(row.at, name, cut or {}) for name, cut in cuts.items())
    elif row.channel == "outcome" and isinstance(value, str) and value != "answered":
        yield TranscriptEntry("outcome", row.at, value)


def _build_cut_entry(at: str, conversation: str, cut: Mapping[str, Any]) -> TranscriptEntry:
    facts = {key: cut[key] for key in CUT_FACTS if key in cut}
    return TranscriptEntry("compacted", at, str(cut.get("summary", "")), conversation, facts=facts)


def _build_message_entries(
    row: ChannelWrite, answers: Mapping[str, Mapping[str, Any]], recorded: Facts, sent: Sent
) -> Iterator[TranscriptEntry]:
    message: dict[str, Any] = row.value
    if message.get("type") == "human":
        words = extract_text(message.get("content"))
        if row.node in HUMAN_INPUT_NODES:
            yield from _build_user_entry(row, words)
        elif get_mapping(message, "additional_kwargs").get("steered"):
            yield TranscriptEntry("human", row.at, words)
        elif get_mapping(message, "additional_kwargs").get("aside"):
            yield TranscriptEntry("aside", row.at, words)
    elif message.get("type") == "ai":
        more = get_mapping(message, "additional_kwargs")
        role, step = str(more.get("role", "")), to_int(more.get("step"))
        kind: EntryKind = "interrupted" if more.get("interrupted") else "answer"
        if thinking := _extract_thinking(message):
            yield TranscriptEntry("thinking", row.at, thinking, role, step)
        if words := extract_text(message.get("content")).strip():
            yield TranscriptEntry(kind, row.at, words, role, step)
        for calls in ("tool_calls", "invalid_tool_calls"):
            for call in filter_mappings(message.get(calls)):
                key = str(call.get("id"))
                yield _build_call_entry(
                    row.at, role, step, call, answers.get(key), recorded.get(key, {})
                )
                for entry in sent.get(key, ()):
                    yield replace(entry, role=role, step=step)


def _build_call_entry(
    at: str,
    role: str,
    step: int,
    call: Mapping[str, Any],
    answer: Mapping[str, Any] | None,
    facts: Mapping[str, Any],
) -> TranscriptEntry:
    result = extract_text(answer.get("content")) if answer else ""
    marks = get_mapping(answer or {}, "additional_kwargs")
    facts = {**facts, **{name: marks[name] for name in ("answered", "edited") if marks.get(name)}}
    return TranscriptEntry(
        "call",
        at,
        role=role,
        step=step,
        tool=str(call.get("name") or "?"),
        args=get_mapping(call, "args"),
        ok=answer.get("status") != "error" if answer else None,
        result=result,
        facts=facts,
        call_id=str(call.get("id") or ""),
    )


def _extract_thinking(message: Mapping[str, Any]) -> str:
    """Return the reasoning of a model's message, in whichever form its provider sent it."""
    more, content = get_mapping(message, "additional_kwargs"), message.get("content")
    if isinstance(content, str) and (reasoning := more.get("reasoning_content")):
        return str(reasoning).strip()
    blocks = filter_mappings(content)
    parts = [block.get("thinking") or block.get("reasoning") or "" for block in blocks]
    return "".join(piece for piece in parts if isinstance(piece, str)).strip()


def _build_question_entries(question: OpenQuestion, at: str) -> Iterator[TranscriptEntry]:
    """Yield an open question; the text of a model's question is in its call already."""
    for request in question.requests:
        yield TranscriptEntry(
            "question",
            at,
            str(request.get("description", "")),
            tool=str(request.get("name")),
            args=get_mapping(request, "args"),
            facts={"diff": request["diff"]} if request.get("diff") else {},
            agent=question.agent,
            question=question.id,
        )
