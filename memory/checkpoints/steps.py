"""Steps of a thread, read from LangGraph's tables by SQL alone: in linear time, in milliseconds.

A thread's step n is its n-th model answer with the effects of its tool calls. The checkpoint after
it is the first one with nothing in progress: a role runs next, or the graph has ended. Step 0 is
the start.

A new node takes, and with a role also what `nodes/roles.py` lists:

- a file in `nodes/`, or in the room of what it works on; its edges by `Command[Literal[…]]`. The
  node before it: its `goto` and its `Literal`. A node that runs after a model's answer: `lazy("…")`
  of `nodes/lazy_nodes.py`, so that no start imports it. `add_node` in `graphs/`, with
  `destinations`: each target and the label of its edge
- one set in `memory/checkpoints/steps.py`: `CALL_NODES` if a call is open there,
  `VERIFICATION_NODES` if it runs between two roles, else `BUSY_NODES`
- `STEPS` in `tests/graphs/test_task.py`
- if it changes files, a `FileRecord` around the change, if it runs a program, trust and consent:
  both as in `nodes/verify.py`, or undo takes the change for the user's
- `sdk/transfer/sanitize.py` if a call or an answer waits there
- the diagram and the table in `docs/architecture.md`
- `make docs`
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from .messages import ModelMessage, read_model_messages
from .row_data import get_mapping, to_int, unpack_blob
from .tables import has_tables, parse_time

# What comes next while a call is open: it is ruled on, asked about, or runs
CALL_NODES = frozenset({"approve", "tools", "switch", "subagent", "reports"})
# What comes next while something is under way: the input is taken in, calls run
BUSY_NODES = CALL_NODES | {"__start__", "listen", "compact", "fit_schema", "check"}
# Nodes in which no role speaks, and no call is under way either
VERIFICATION_NODES = frozenset({"verify", "review", "attempts", "adopt"})

_LINKS = (
    "SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = ''"
)
_CHECKPOINT = (
    "SELECT checkpoint FROM checkpoints"
    " WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?"
)
# Each checkpoint's parent
ParentLinks = Mapping[str, str | None]


@dataclass(frozen=True)
class ThreadStep:
    """One model answer, and the checkpoint after it."""

    number: int
    message: ModelMessage
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
class MessagePoint:
    """A user's message in a thread."""

    text: str
    before: ThreadStep
    """The point just before it: a new message there replaces it."""


@dataclass(frozen=True)
class ThreadBranches:
    """All steps of a thread."""

    steps: tuple[ThreadStep, ...] = ()
    """Those of the conversation as it is, step 0 first."""
    abandoned: tuple[tuple[ThreadStep, ...], ...] = ()
    """Those that were left by going back, the newest branch first, each after its shared steps."""
    origins: tuple[str, ...] = ()
    """The checkpoint of the step after which each of them begins; empty: unknown."""
    tip: str = ""
    """The checkpoint at which the conversation is now."""
    head: ThreadStep | None = None
    """The same as a place: whatever is under way there, it comes next."""
    messages: tuple[MessagePoint, ...] = ()
    """What the human said in the conversation as it is, the first message first."""

    def find_step(self, number: int, checkpoint_id: str = "") -> ThreadStep | None:
        """Return the step of that number, current if possible, else the last abandoned one.

        With the ID of its checkpoint it is that one, also if another has its number.
        """
        every = (step for branch in (self.steps, *self.abandoned) for step in branch)
        fitting = (step for step in every if checkpoint_id in ("", step.checkpoint_id))
        return next((step for step in fitting if step.number == number), None)


@dataclass(frozen=True)
class _Point:
    """The data of a checkpoint."""

    id: str
    parent: str
    steps: int
    file_entry: int
    turn: int
    next: str
    outcome: str
    versions: Mapping[str, object]
    """Of its channels: the same in a copy of it."""
    request: str
    """The human's words, where they come next."""


def read_branches(connection: sqlite3.Connection, thread_id: str) -> ThreadBranches:
    """Return the steps of a thread; none before its first checkpoint."""
    if not has_tables(connection):
        return ThreadBranches()
    links, tips = _read_parent_links(connection, thread_id)
    model_messages = read_model_messages(connection, thread_id)
    points_by_id: dict[str, _Point] = {}
    settled: dict[str, str] = {}
    branches: list[tuple[tuple[ThreadStep, ...], str]] = []
    messages: list[tuple[MessagePoint, ...]] = []
    for tip in tips:
        chain = _follow_parents(links, tip, points_by_id)
        points = [_read_point(connection, thread_id, *link) for link in chain]
        shared = _find_shared_point(points, points_by_id)
        steps = tuple(_build_steps(_select_own_points(points, shared), model_messages))
        origin = settled.get(shared.id, "") if shared else ""
        branches.append((steps, origin))
        messages.append(tuple(_find_user_messages(points)))
        points_by_id |= {point.id: point for point in points}
        checkpoints = {step.number: step.checkpoint_id for step in steps}
        settled |= {point.id: checkpoints.get(point.steps, origin) for point in points}
    if not branches:
        return ThreadBranches()
    abandoned = [branch for branch in branches[1:] if branch[0]]
    return ThreadBranches(
        branches[0][0],
        tuple(steps for steps, _ in abandoned),
        tuple(origin for _, origin in abandoned),
        tips[0],
        _to_step(points_by_id[tips[0]]),
        messages[0],
    )


def read_abandoned_steps(
    connection: sqlite3.Connection, thread_id: str
) -> tuple[tuple[ThreadStep, ...], ...]:
    """Return the abandoned steps; cheap if the thread was never rewound."""
    if not has_tables(connection) or len(_read_parent_links(connection, thread_id)[1]) < 2:
        return ()
    return read_branches(connection, thread_id).abandoned


def _read_parent_links(
    connection: sqlite3.Connection, thread_id: str
) -> tuple[ParentLinks, list[str]]:
    """Return each checkpoint's parent, and the checkpoints without a child, the newest first."""
    links: ParentLinks = dict(connection.execute(_LINKS, (thread_id,)).fetchall())
    return links, sorted(links.keys() - set(links.values()), reverse=True)


def _follow_parents(
    links: ParentLinks, tip: str, known_points: Mapping[str, _Point]
) -> list[tuple[str, str]]:
    """Return the unknown checkpoints of a branch, each with its parent, the oldest first."""
    chain: list[tuple[str, str]] = []
    at = tip
    while at in links and at not in known_points:
        chain.append((at, links[at] or ""))
        at = links[at] or ""
    return chain[::-1]


def _read_point(connection: sqlite3.Connection, thread_id: str, id_: str, parent: str) -> _Point:
    checkpoint = unpack_blob(connection.execute(_CHECKPOINT, (thread_id, id_)).fetchone()[0])
    values, versions = (
        get_mapping(checkpoint, "channel_values"),
        get_mapping(checkpoint, "channel_versions"),
    )
    named = [name.removeprefix("branch:to:") for name in values if name.startswith("branch:to:")]
    calls = ["tools"] if values.get("__pregel_tasks") else []
    begins = ["__start__"] if "__start__" in values else []
    return _Point(
        id_,
        parent,
        steps=to_int(values.get("steps")),
        file_entry=to_int(values.get("file_entry")),
        turn=to_int(values.get("turn")),
        next=next(iter([*calls, *begins, *named]), ""),
        outcome=str(values.get("outcome") or ""),
        versions=versions,
        request=str(get_mapping(values, "__start__").get("request", "")),
    )


def _find_shared_point(points: list[_Point], known_points: Mapping[str, _Point]) -> _Point | None:
    """Return where a branch starts: at a known checkpoint, or with a copy that a rewind made."""
    first = points[0]
    twins = (
        p for p in known_points.values() if (p.parent, p.versions) == (first.parent, first.versions)
    )
    return next(twins, known_points.get(first.parent))


def _select_own_points(points: list[_Point], shared: _Point | None) -> list[_Point]:
    """Return a branch after the last step that it shares; a turn without an answer is skipped."""
    return [point for point in points if shared is None or point.steps > shared.steps]


def _build_steps(
    points: Sequence[_Point], messages: Mapping[str, ModelMessage]
) -> Iterator[ThreadStep]:
    for number, group in groupby(points, key=lambda point: point.steps):
        first, *rest = group
        after = _find_settled_point([first, *rest], is_last=(rest or [first])[-1] is points[-1])
        final_point = after or (rest or [first])[-1]
        yield ThreadStep(
            number=number,
            message=messages.get(first.parent, ModelMessage()),
            checkpoint_id=after.id if after else "",
            next=final_point.next,
            file_entry=final_point.file_entry,
            turn=final_point.turn,
            outcome=final_point.outcome,
            at=parse_time(first.id),
        )


def _find_user_messages(points: Sequence[_Point]) -> Iterator[MessagePoint]:
    """Yield the user's messages; messages that others replaced were taken back."""
    for point, after in pairwise(points):
        if point.next == "__start__" != after.next:
            before = replace(_to_step(point), next="", outcome="answered")
            yield MessagePoint(text=point.request, before=before)


def _to_step(point: _Point) -> ThreadStep:
    """Return a checkpoint as a place in the conversation, without an answer."""
    return ThreadStep(
        number=point.steps,
        message=ModelMessage(),
        checkpoint_id=point.id,
        next=point.next,
        file_entry=point.file_entry,
        turn=point.turn,
        outcome=point.outcome,
        at=parse_time(point.id),
    )


def _find_settled_point(points: Sequence[_Point], *, is_last: bool) -> _Point | None:
    """Return a step's first checkpoint with nothing in progress; only a tip may still be evaluated.

    At a tip, the tests are to run, or the user is asked.
    """
    quiet = (point for point in points if point.next not in BUSY_NODES | VERIFICATION_NODES)
    tip = points[-1] if is_last and points[-1].next in VERIFICATION_NODES else None
    return next(quiet, tip)
