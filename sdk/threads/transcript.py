"""A thread as a conversation to be read: who said what, what was called and what came of it.

Read from the database alone; without loading LangGraph.
"""

import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal, cast

from ...config import paths
from ...memory.checkpoints.messages import mappings, text_of
from ...memory.checkpoints.steps import number_of
from ...memory.checkpoints.writes import Written, written
from ...memory.database.checkpoint_queries import part
from ...memory.database.connection import connect, explained
from ...memory.journal import SECOND_RUN
from ...memory.threads.lease import holder
from ...memory.threads.record import ThreadRow

HUMAN = ("review", "")
"""Besides the request: who hands a human's words on. The rest of what is handed on is the graph's
own, and said already."""
_RESULTS = """
    WITH RECURSIVE family(id) AS (
        VALUES (?) UNION SELECT parent FROM threads JOIN family ON thread_id = family.id
    )
    SELECT call_id, result FROM family CROSS JOIN journal ON thread_id = family.id
    WHERE state = 'done' ORDER BY call_id
"""
"""What was called before a fork is on record under the thread that called it."""

_HALF_ANSWER = """
    SELECT started_at, result FROM journal
    WHERE thread_id = :thread AND call_id = 'answer' AND tool = (
        SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns = ''
    )
"""
"""What a model had said of the answer that comes next."""

Kind = Literal[
    "human",
    "aside",
    "answer",
    "interrupted",
    "call",
    "mode",
    "tests",
    "outcome",
    "question",
    "shortened",
]
"""aside: what went with the human's words, such as what was piped; interrupted: what had been said
of an answer that was cut short, without text where nothing had been."""
STOPPED = ("interrupted", "limit", "failed")
"""How a thread stands whose turn did not come to its end."""
Facts = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Passage:
    """One thing that was said or done."""

    kind: Kind
    at: str
    """ISO 8601, UTC."""
    text: str = ""
    """What was said; of tests their command, of a mode its name."""
    role: str = ""
    """Who spoke or called."""
    step: int = 0
    """Number of the model answer that it belongs to."""
    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ok: bool | None = None
    """Whether a call went well; None: it has no result yet."""
    result: str = ""
    """What the model was told of it."""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What is known of a call besides, such as its `diff`; of tests their evidence."""


def transcript(row: ThreadRow, home: Path) -> list[Passage]:
    """The thread's story so far; of one that has not begun its request."""
    with _database(home) as connection:
        rows = list(written(connection, row.thread_id))
        recorded = _recorded(connection, row.thread_id)
        half = _half_answer(connection, row, home) if rows else []
    told = _passages(rows, recorded, is_waiting=row.status == "waiting")
    told = chain(_without_repeats(told), half)
    story = _with_stops(told, is_stopped=row.status in STOPPED)
    return list(story) or [Passage("human", row.created_at, row.request)]


def raw(row: ThreadRow, home: Path) -> list[Written]:
    """What the nodes wrote, as it is stored."""
    with _database(home) as connection:
        return list(written(connection, row.thread_id))


@contextmanager
def _database(home: Path) -> Generator[sqlite3.Connection]:
    path = paths.database(home)
    with explained(path), closing(connect(path)) as connection:
        yield connection


def _recorded(connection: sqlite3.Connection, thread_id: str) -> Facts:
    """What is known of each call's result, by its id."""
    found: dict[str, Mapping[str, Any]] = {}
    for call_id, result in connection.execute(_RESULTS, (thread_id,)):
        with suppress(ValueError, TypeError):  # another hand may have written it
            # a second run's key sorts behind the first's
            found[call_id.removesuffix(SECOND_RUN)] = part(json.loads(result), "metadata")
    return found


def _half_answer(connection: sqlite3.Connection, row: ThreadRow, home: Path) -> list[Passage]:
    """What a killed run had shown of an answer; the next run puts it into the thread."""
    if row.status not in ("running", "interrupted") or holder(home, row.thread_id):
        return []
    found = connection.execute(_HALF_ANSWER, {"thread": row.thread_id}).fetchone()
    text = json.loads(found[1])["output"] if found else ""
    return [Passage("interrupted", found[0], text)] if text.strip() else []


def _passages(rows: list[Written], recorded: Facts, *, is_waiting: bool) -> Iterator[Passage]:
    answers = {
        str(row.value.get("tool_call_id")): row.value
        for row in rows
        if row.channel == "messages" and row.value and row.value.get("type") == "tool"
    }
    cut_short = set[str]()
    for row in rows:
        match row.channel:
            case "request":
                yield from _human(row, row.value)
            case "messages" if row.value is None:
                yield Passage("shortened", row.at)
            case "messages" if _is_again(row.value, cut_short):
                pass
            case "messages":
                yield from _message(row, answers, recorded)
            case "__interrupt__":
                if is_waiting and row.checkpoint_id == rows[-1].checkpoint_id:
                    yield from _questions(row)
            case _:
                yield from _turn_of_events(row)


def _is_again(message: Mapping[str, Any], cut_short: set[str]) -> bool:
    """Whether it is an answer that stands already where it was cut short."""
    more, name = part(message, "additional_kwargs"), str(message.get("id"))
    if more.get("told"):
        return name in cut_short
    cut_short |= {name} if more.get("interrupted") else set()
    return False


def _without_repeats(passages: Iterator[Passage]) -> Iterator[Passage]:
    """A mode is told where it changes; a conversation begins in build mode."""
    mode = ("build", "build")
    for passage in passages:
        if passage.kind != "mode":
            yield passage
        elif (passage.text, passage.role) != mode:
            mode = (passage.text, passage.role)
            yield passage


def _with_stops(passages: Iterator[Passage], *, is_stopped: bool) -> Iterator[Passage]:
    """Of a message that was not answered before the next one, or the end, that it was stopped."""
    open_since = ""
    for passage in passages:
        if passage.kind == "human":
            if open_since:
                yield Passage("interrupted", open_since)
            open_since = passage.at
        elif passage.kind not in ("aside", "mode"):
            open_since = ""
        yield passage
    if open_since and is_stopped:
        yield Passage("interrupted", open_since)


def _human(row: Written, words: object) -> Iterator[Passage]:
    if isinstance(words, str) and row.node in ("__start__", *HUMAN):
        yield Passage("human", row.at, words)


def _turn_of_events(row: Written) -> Iterator[Passage]:
    """Another mode, a run of the tests, the end of a task."""
    value = row.value
    if row.channel == "told" and isinstance(value, list) and value:
        mode, *speaker = map(str, cast("list[object]", value))
        yield Passage("mode", row.at, mode, role="".join(speaker))
    elif row.channel == "evidence" and isinstance(value, dict):
        facts = cast("dict[str, Any]", value)
        yield Passage("tests", row.at, str(facts.get("command", "")), facts=facts)
    elif row.channel == "outcome" and isinstance(value, str) and value != "answered":
        yield Passage("outcome", row.at, value)


def _message(
    row: Written, answers: Mapping[str, Mapping[str, Any]], recorded: Facts
) -> Iterator[Passage]:
    message: dict[str, Any] = row.value
    if message.get("type") == "human":
        words = text_of(message.get("content"))
        if row.node in HUMAN:
            yield from _human(row, words)
        elif part(message, "additional_kwargs").get("aside"):
            yield Passage("aside", row.at, words)
    elif message.get("type") == "ai":
        more = part(message, "additional_kwargs")
        role, step = str(more.get("role", "")), number_of(more.get("step"))
        kind: Kind = "interrupted" if more.get("interrupted") else "answer"
        if words := text_of(message.get("content")).strip():
            yield Passage(kind, row.at, words, role, step)
        for calls in ("tool_calls", "invalid_tool_calls"):
            for call in mappings(message.get(calls)):
                key = str(call.get("id"))
                yield _call(row.at, role, step, call, answers.get(key), recorded.get(key, {}))


def _call(
    at: str,
    role: str,
    step: int,
    call: Mapping[str, Any],
    answer: Mapping[str, Any] | None,
    facts: Mapping[str, Any],
) -> Passage:
    result = text_of(answer.get("content")) if answer else ""
    return Passage(
        "call",
        at,
        role=role,
        step=step,
        tool=str(call.get("name") or "?"),
        args=part(call, "args"),
        ok=answer.get("status") != "error" if answer else None,
        result=result,
        facts=facts,
    )


def _questions(row: Written) -> Iterator[Passage]:
    """What is asked now; the words of a model that asks are in its call already."""
    for request in mappings(part(row.value, "value").get("action_requests")):
        yield Passage(
            "question",
            row.at,
            str(request.get("description", "")),
            tool=str(request.get("name")),
            args=part(request, "args"),
            facts={"diff": request["diff"]} if request.get("diff") else {},
        )
