"""What must hold of a run, however often it was killed; each function names its faults.

A call whose answer is "Outcome unknown" may have left all, some or none of its lines; every other
call exactly its lines, once. So the files of the undisturbed run are known from the errand alone.
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from errand import CallPlace, Line
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from trial import Event, Trial

from maxagent.graphs.task import build_graph
from maxagent.memory.database.checkpointer import open_checkpointer

TEMPORARY = ".mcode-*.tmp"
"""What a write that was killed half-way may leave beside its file."""


@dataclass(frozen=True)
class Remains:
    """What a finished run has left."""

    trial: Trial
    last: Event
    messages: list[BaseMessage]
    places: dict[str, CallPlace] = field(default_factory=dict)
    """Call id to its place in the script."""
    answers: dict[CallPlace, list[ToolMessage]] = field(default_factory=dict)

    @property
    def unknown(self) -> set[CallPlace]:
        """Calls of which the model was told that nobody knows what they did."""
        return {
            place
            for place, answers in self.answers.items()
            if any("Outcome unknown" in str(answer.text) for answer in answers)
        }


def remains_of(trial: Trial, last: Event) -> Remains:
    """Read the thread as any other program would."""
    remains = Remains(trial, last, asyncio.run(_messages(trial)))
    turns: Counter[str] = Counter()
    for message in remains.messages:
        if isinstance(message, AIMessage):
            role = _role(message)
            for index, call in enumerate(message.tool_calls):
                remains.places[str(call["id"])] = (role, turns[role], index)
            turns[role] += 1
        if isinstance(message, ToolMessage):
            place = remains.places.get(message.tool_call_id, ("nobody", 0, 0))
            remains.answers.setdefault(place, []).append(message)
    return remains


async def _messages(trial: Trial) -> list[BaseMessage]:
    async with open_checkpointer(trial.database) as saver:
        graph = build_graph().compile(checkpointer=saver)
        state = await graph.aget_state({"configurable": {"thread_id": trial.thread_id}})
        return state.values.get("messages", [])


def whole_files(remains: Remains) -> list[str]:
    """files as undisturbed, but for calls told unknown; no line twice"""
    faults: list[str] = []
    files = remains.trial.errand.files
    for name, lines in files.items():
        path = remains.trial.project / name
        actual = path.read_text().splitlines() if path.exists() else []
        wanted = [line.text for line in lines if _wanted(line, actual, remains)]
        if actual != wanted:
            faults.append(f"{name}: {actual} instead of {wanted}")
    strange = {path.name for path in remains.trial.project.iterdir()} - set(files)
    temporary = {path.name for path in remains.trial.project.glob(TEMPORARY)}
    return faults + [f"strange file {name}" for name in strange - temporary]


def _wanted(line: Line, actual: list[str], remains: Remains) -> bool:
    return line.text in actual or line.call not in remains.unknown


def nothing_left_half_written(remains: Remains) -> list[str]:
    """no temporary file left in the project"""
    return [path.name for path in remains.trial.project.glob(TEMPORARY)]


def one_answer_for_each_call(remains: Remains) -> list[str]:
    """exactly one answer for each tool call"""
    asked = set(remains.places.values())
    faults = [f"{place}: an answer to nothing" for place in set(remains.answers) - asked]
    counts = {place: len(remains.answers.get(place, [])) for place in asked}
    return faults + [
        f"{place}: {number} answers" for place, number in counts.items() if number != 1
    ]


def calls_succeed(remains: Remains) -> list[str]:
    """an answer is a success, or says that an effect is unknown"""
    effects = {line.call for lines in remains.trial.errand.files.values() for line in lines}
    return [
        f"{place}: {answer.status}: {answer.text}"
        for place, answers in remains.answers.items()
        for answer in answers
        if (place in remains.unknown and place not in effects)
        or (place not in remains.unknown and answer.status != "success")
    ]


def turns_in_order(remains: Remains) -> list[str]:
    """the script's turns in order, none lost or doubled"""
    faults: list[str] = []
    for role, turns in remains.trial.errand.scenario.items():
        own = [message for message in remains.messages if _role(message) == role]
        spoken = [_spoken(message) for message in own if isinstance(message, AIMessage)]
        script = [_scripted(turn) for turn in turns]
        briefs = sum(isinstance(message, HumanMessage) for message in own)
        if spoken != script or briefs != 1:
            faults.append(f"{role}: {briefs} briefs, said {spoken} instead of {script}")
    return faults


def ids_are_unique(remains: Remains) -> list[str]:
    """no message id twice"""
    counts = Counter(str(message.id) for message in remains.messages)
    return [f"{name}: {number} times" for name, number in counts.items() if number > 1]


def journal_agrees(remains: Remains) -> list[str]:
    """the journal has finished exactly the thread's calls"""
    rows = remains.trial.rows("SELECT call_id, state FROM journal WHERE tool NOT IN ('', 'audit')")
    faults = [f"{call} was never finished" for call, state in rows if state != "done"]
    recorded, known = {call for call, _ in rows}, set(remains.places)
    return faults + [f"{call} is in one of both only" for call in recorded ^ known]


def database_is_sound(remains: Remains) -> list[str]:
    """integrity_check of the database"""
    with closing(sqlite3.connect(remains.trial.database)) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchall()
    kept_aside = [path.name for path in remains.trial.database.parent.glob("*.corrupt-*")]
    return kept_aside if found == [("ok",)] else [*kept_aside, *map(str, found)]


def ends_verified(remains: Remains) -> list[str]:
    """the run ends verified, in the list of threads too"""
    listed = remains.trial.rows("SELECT status FROM threads")
    if remains.last.get("outcome") == "verified" and listed == [("done",)]:
        return []
    return [f"last event {remains.last}, threads {listed}"]


def _role(message: BaseMessage) -> str:
    return str(message.additional_kwargs.get("role"))


def _spoken(message: AIMessage) -> tuple[str, list[tuple[str, Any]]]:
    return message.text.strip(), [(call["name"], call["args"]) for call in message.tool_calls]


def _scripted(turn: dict[str, Any]) -> tuple[str, list[tuple[str, Any]]]:
    calls = turn.get("tool_calls", [])
    return turn["text"], [(call["name"], call["args"]) for call in calls]


Invariant = Callable[[Remains], list[str]]
INVARIANTS: list[Invariant] = [
    whole_files,
    nothing_left_half_written,
    one_answer_for_each_call,
    calls_succeed,
    turns_in_order,
    ids_are_unique,
    journal_agrees,
    database_is_sound,
    ends_verified,
]


def faults_in(remains: Remains) -> list[str]:
    """Everything that is violated."""
    return [fault for invariant in INVARIANTS for fault in invariant(remains)]
