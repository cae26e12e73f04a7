"""One thread as shown to users, from our row and LangGraph's tables."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

if TYPE_CHECKING:
    from ..checkpoints.thread_facts import ThreadFacts

# waiting: asks something · idle: a conversation whose turn has ended · unverified: ended without
# proof · limit: a limit stopped it, it can go on · interrupted: stopped half-way, it can go on ·
# queued: waits for a worker · unknown: went on elsewhere, and its state does not say how it ended.
ThreadStatus = Literal[
    "running",
    "waiting",
    "idle",
    "done",
    "unverified",
    "failed",
    "undone",
    "limit",
    "interrupted",
    "queued",
    "unknown",
]

STATUS_OF_OUTCOME: dict[str, ThreadStatus] = {
    "verified": "done",
    "unverified": "unverified",
    "failed": "failed",
    "undone": "undone",
    "answered": "idle",
}
# Of threads that are not over, in the order in which they need somebody
OPEN_STATUSES: tuple[ThreadStatus, ...] = (
    "waiting",
    "running",
    "limit",
    "interrupted",
    "queued",
)
TITLE_LENGTH = 60


@dataclass(frozen=True)
class ThreadRow:
    """One thread as shown to users."""

    thread_id: str
    title: str
    folder: str
    """The project's absolute path."""
    graph: str
    request: str
    status: ThreadStatus
    created_at: str
    """ISO 8601, UTC, as `updated_at`."""
    updated_at: str
    name: str = ""
    """What the user calls it; empty until renamed."""
    options: Any = None
    """What the user chose for it, as it was given to `record`."""
    evidence: Mapping[str, Any] | None = None
    """What proves the result, once a run has recorded it."""
    parent: str = ""
    """Id of the thread that this one was forked from."""
    parent_step: int = 0
    """The parent's step at which it was forked."""
    steps: int = 0
    """Model answers so far."""
    questions: int = 0
    """Open questions; its sub-agents may ask several at once."""
    holder: str = ""
    """The machine and the process that run it, as `build-7:4711`; empty: none, or not known."""


# Read each time: from LangGraph's tables, and from the lease
_UNSTORED = ("steps", "questions", "holder")


def build_title(request: str) -> str:
    """Return the first line of the request, shortened."""
    first = next(iter(request.strip().splitlines()), "")
    return first if len(first) <= TITLE_LENGTH else first[: TITLE_LENGTH - 1].rstrip() + "…"


def from_store(stored: sqlite3.Row) -> ThreadRow:
    """Return the thread of a row of our table."""
    parsed = {column: json.loads(stored[column]) for column in ("options", "evidence")}
    row = ThreadRow(**{**dict(stored), **parsed})
    # another program, or a newer version, may have written it
    return row if row.status in get_args(ThreadStatus) else replace(row, status="unknown")


def to_store(row: ThreadRow) -> dict[str, Any]:
    """Return the thread as a row of our table, by column."""
    texts = {"options": json.dumps(row.options), "evidence": json.dumps(row.evidence)}
    columns = asdict(row) | texts
    return {column: value for column, value in columns.items() if column not in _UNSTORED}


def from_checkpoint(thread_id: str, facts: "ThreadFacts", values: Mapping[str, Any]) -> ThreadRow:
    """Return a thread that is not on our list; `values` are those of its last checkpoint."""
    request, folder, options = (values.get(key) for key in ("request", "folder", "options"))
    request = request if isinstance(request, str) else ""
    return ThreadRow(
        thread_id=thread_id,
        title=request.strip().partition("\n")[0],
        folder=folder if isinstance(folder, str) else "",
        graph=facts.graph,
        request=request,
        status=_derive_status(facts),
        created_at=facts.created_at,
        updated_at=facts.updated_at,
        options=_filter_options(options),
    )


def update_from_facts(
    row: ThreadRow, facts: "ThreadFacts | None", *, is_held: bool, is_asked: bool = False
) -> ThreadRow:
    """Return the row, corrected if its thread was killed or has continued elsewhere since.

    `is_held`: a process runs it, as its row or newer checkpoints say. `is_asked`: the user is asked
    about its pull request, of which its checkpoints know nothing.
    """
    from ..checkpoints.thread_facts import ThreadFacts

    current_facts = facts or ThreadFacts()
    status = row.status
    if status == "running":
        status = "running" if is_held else "interrupted"
    elif is_held:
        status = "running"
    elif current_facts.updated_at > row.updated_at:
        status = _derive_status(current_facts)
    used = max(row.updated_at, current_facts.updated_at)
    questions = current_facts.questions + is_asked
    return replace(
        row, steps=current_facts.steps, questions=questions, status=status, updated_at=used
    )


def _derive_status(facts: "ThreadFacts") -> ThreadStatus:
    if facts.questions:
        return "waiting"
    return "interrupted" if facts.is_pending else STATUS_OF_OUTCOME.get(facts.outcome, "unknown")


def _filter_options(options: object) -> dict[str, Any]:
    """Return valid options only: names with texts or booleans."""
    if not isinstance(options, dict):
        return {}
    named = {str(key): value for key, value in cast("dict[object, object]", options).items()}
    return {key: value for key, value in named.items() if isinstance(value, str | bool)}
