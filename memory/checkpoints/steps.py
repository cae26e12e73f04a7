"""The steps of a thread, read from LangGraph's tables by SQL alone: linear, and in milliseconds.

A thread's step n is its n-th model answer with all that its tool calls did. The checkpoint after it
is the first one at which nothing is under way: a role is about to speak, or the graph has ended.
Step 0 is the beginning.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from ..database.checkpoint_queries import has_tables, part, time_of, unpacked
from .messages import Said, answers

CALLING = frozenset({"approve", "tools", "switch"})
"""What comes next while a call is open: it is ruled on, asked about, or runs."""
BUSY = CALLING | {"__start__", "listen", "compact", "fit_schema"}
"""What comes next while something is under way: the input is taken in, calls run."""
JUDGING = frozenset({"verify", "review"})
"""Nodes in which no role speaks, and no call is under way either."""

_LINKS = (
    "SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = ''"
)
_CHECKPOINT = (
    "SELECT checkpoint FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?"
)
Links = Mapping[str, str | None]
"""Each checkpoint's parent."""


@dataclass(frozen=True)
class Step:
    """One model answer, and the checkpoint after it."""

    number: int
    said: Said
    checkpoint_id: str
    """Empty while its calls are under way: the thread cannot go back there yet."""
    next: str
    """The node that follows, a role if nothing else; empty at the end."""
    file_entry: int
    """The last entry of the file history at that checkpoint, or so far."""
    turn: int
    """How often the human had asked for something by then."""
    outcome: str
    """How the task had ended; empty while it went on."""
    at: str
    """When it was said: ISO 8601, UTC."""


@dataclass(frozen=True)
class Message:
    """What the human said to a thread."""

    words: str
    before: Step
    """The place just before it: whatever is said there stands in its place."""


@dataclass(frozen=True)
class Branches:
    """All steps of a thread."""

    steps: tuple[Step, ...] = ()
    """Those of the conversation as it is, step 0 first."""
    left: tuple[tuple[Step, ...], ...] = ()
    """Those that were left by going back, the newest branch first, each after its shared steps."""
    tip: str = ""
    """The checkpoint at which the conversation is now."""
    head: Step | None = None
    """The same as a place: whatever is under way there, it comes next."""
    messages: tuple[Message, ...] = ()
    """What the human said in the conversation as it is, the first message first."""

    def find(self, number: int) -> Step | None:
        """The step of that number: of the conversation as it is, else of what was left last."""
        every = [step for branch in (self.steps, *self.left) for step in branch]
        return next((step for step in every if step.number == number), None)


@dataclass(frozen=True)
class _Point:
    """What a checkpoint says."""

    id: str
    parent: str
    steps: int
    file_entry: int
    turn: int
    next: str
    outcome: str
    versions: Mapping[str, object]
    """Of its channels: the same in a copy of it."""
    said: str
    """The human's words, where they come next."""


def branches(connection: sqlite3.Connection, thread_id: str) -> Branches:
    """The steps of a thread; none before its first checkpoint."""
    if not has_tables(connection):
        return Branches()
    links, tips = _links(connection, thread_id)
    said = answers(connection, thread_id)
    known: dict[str, _Point] = {}
    found: list[tuple[Step, ...]] = []
    messages: list[tuple[Message, ...]] = []
    for tip in tips:
        chain = _chain(links, tip, known)
        points = [_point(connection, thread_id, *link) for link in chain]
        found.append(tuple(_steps(_own(points, known), said)))
        messages.append(tuple(_messages(points)))
        known |= {point.id: point for point in points}
    if not found:
        return Branches()
    head = _place(known[tips[0]])
    return Branches(found[0], tuple(filter(None, found[1:])), tips[0], head, messages[0])


def left(connection: sqlite3.Connection, thread_id: str) -> tuple[tuple[Step, ...], ...]:
    """The steps that were left; hardly any work where nobody has gone back."""
    if not has_tables(connection) or len(_links(connection, thread_id)[1]) < 2:
        return ()
    return branches(connection, thread_id).left


def _links(connection: sqlite3.Connection, thread_id: str) -> tuple[Links, list[str]]:
    """Each checkpoint's parent; and the checkpoints that are nobody's parent, the newest first."""
    links: Links = dict(connection.execute(_LINKS, (thread_id,)).fetchall())
    return links, sorted(links.keys() - set(links.values()), reverse=True)


def _chain(links: Links, tip: str, known: Mapping[str, _Point]) -> list[tuple[str, str]]:
    """The checkpoints of a branch that are not known, each with its parent, the oldest first."""
    chain: list[tuple[str, str]] = []
    at = tip
    while at in links and at not in known:
        chain.append((at, links[at] or ""))
        at = links[at] or ""
    return chain[::-1]


def _point(connection: sqlite3.Connection, thread_id: str, id_: str, parent: str) -> _Point:
    checkpoint = unpacked(connection.execute(_CHECKPOINT, (thread_id, id_)).fetchone()[0])
    values, versions = part(checkpoint, "channel_values"), part(checkpoint, "channel_versions")
    named = [name.removeprefix("branch:to:") for name in values if name.startswith("branch:to:")]
    calls = ["tools"] if values.get("__pregel_tasks") else []
    begins = ["__start__"] if "__start__" in values else []
    return _Point(
        id_,
        parent,
        steps=number_of(values.get("steps")),
        file_entry=number_of(values.get("file_entry")),
        turn=number_of(values.get("turn")),
        next=next(iter([*calls, *begins, *named]), ""),
        outcome=str(values.get("outcome") or ""),
        versions=versions,
        said=str(part(values, "__start__").get("request", "")),
    )


def number_of(value: object) -> int:
    """The whole number that a row holds; 0 for anything else."""
    return value if isinstance(value, int) else 0


def _own(points: list[_Point], known: Mapping[str, _Point]) -> list[_Point]:
    """Of a branch what follows the last step that it shares; a turn without an answer is none.

    It goes off at a known checkpoint, or begins with one that going back has copied.
    """
    first = points[0]
    twins = (p for p in known.values() if (p.parent, p.versions) == (first.parent, first.versions))
    shared = next(twins, known.get(first.parent))
    return [point for point in points if shared is None or point.steps > shared.steps]


def _steps(points: Sequence[_Point], said: Mapping[str, Said]) -> Iterator[Step]:
    for number, group in groupby(points, key=lambda point: point.steps):
        first, *rest = group
        after = _after([first, *rest], is_last=(rest or [first])[-1] is points[-1])
        shown = after or (rest or [first])[-1]
        yield Step(
            number=number,
            said=said.get(first.parent, Said()),
            checkpoint_id=after.id if after else "",
            next=shown.next,
            file_entry=shown.file_entry,
            turn=shown.turn,
            outcome=shown.outcome,
            at=time_of(first.id),
        )


def _messages(points: Sequence[_Point]) -> Iterator[Message]:
    """The words that were taken in; those that others came in place of were taken back."""
    for point, after in pairwise(points):
        if point.next == "__start__" != after.next:
            before = replace(_place(point), next="", outcome="answered")
            yield Message(words=point.said, before=before)


def _place(point: _Point) -> Step:
    """A checkpoint as a place in the conversation, with nothing said at it."""
    return Step(
        number=point.steps,
        said=Said(),
        checkpoint_id=point.id,
        next=point.next,
        file_entry=point.file_entry,
        turn=point.turn,
        outcome=point.outcome,
        at=time_of(point.id),
    )


def _after(points: Sequence[_Point], *, is_last: bool) -> _Point | None:
    """The first of a step's checkpoints with nothing under way; before its judgement only the tip.

    A tip is judged: the tests are to run, or the human is asked.
    """
    quiet = (point for point in points if point.next not in BUSY | JUDGING)
    tip = points[-1] if is_last and points[-1].next in JUDGING else None
    return next(quiet, tip)
