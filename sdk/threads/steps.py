"""Steps of a thread, for the user to choose from; does not load LangGraph."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ...config import paths
from ...config.errors import UsageError
from ...config.text import text
from ...memory.checkpoints.steps import (
    ThreadBranches,
    ThreadStep,
    read_abandoned_steps,
    read_branches,
)
from ...memory.database.connection import connect, translate_sqlite_errors
from ...memory.snapshots.file_version import filter_visible
from ...memory.threads.children import read_child_calls
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import FileHistory, HistoryEntry


@dataclass(frozen=True)
class StepSummary:
    """Summary of one step."""

    number: int
    """0 is the start."""
    role: str
    """The role that answered; empty for the start."""
    words: str
    """The first line of the answer; for the start, of the request."""
    tools: tuple[str, ...]
    """Names of the tools called."""
    files: tuple[str, ...]
    """The files that its calls changed."""
    at: str
    """ISO 8601, UTC."""
    checkpoint_id: str
    """Empty while its calls are unfinished: no rewind can go there yet."""
    calls: tuple[str, ...] = ()
    """The IDs of its calls, in the order of `tools`."""


@dataclass(frozen=True)
class BranchSummary:
    """Steps that follow one another."""

    origin: str
    """The checkpoint of the step after which they begin; empty: the start, or unknown."""
    steps: list[StepSummary]


def summarize_steps(row: ThreadRow, home: Path) -> list[StepSummary]:
    """Return the steps of the thread's current conversation."""
    return summarize_branches(row, home)[0].steps


def summarize_branches(row: ThreadRow, home: Path) -> list[BranchSummary]:
    """Return the current conversation, then each abandoned branch."""
    entries = FileHistory(paths.locate_database(home)).list_entries(row.thread_id)
    files = _group_files_by_call(entries, read_parent_calls(row, home))
    branches = read_thread_branches(row, home)
    every = zip(("", *branches.origins), (branches.steps, *branches.abandoned), strict=True)
    return [
        BranchSummary(origin, [_summarize_step(step, row, files) for step in steps])
        for origin, steps in every
    ]


def read_parent_calls(row: ThreadRow, home: Path) -> dict[str, str]:
    """Return the call that has sent the sub-agent, by the ID of each call that one made."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        made = read_child_calls(connection, row.thread_id)
    return {call_id: child.call_id for call_id, child in made.items()}


def read_thread_branches(row: ThreadRow, home: Path) -> ThreadBranches:
    """Return all steps of the thread, also abandoned ones."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        return read_branches(connection, row.thread_id)


def read_abandoned_ranges(row: ThreadRow, home: Path) -> list[tuple[int, int]]:
    """Return the first and last steps of each abandoned branch, the newest first."""
    path = paths.locate_database(home)
    with translate_sqlite_errors(path), closing(connect(path)) as connection:
        return [
            (steps[0].number, steps[-1].number)
            for steps in read_abandoned_steps(connection, row.thread_id)
        ]


def find_step(row: ThreadRow, home: Path, number: int, checkpoint_id: str = "") -> ThreadStep:
    """Return the step with that number; raises UsageError if no rewind can go there.

    `checkpoint_id` tells it from others of its number, which a rewind has left.
    """
    branches = read_thread_branches(row, home)
    step, thread = branches.find_step(number, checkpoint_id), row.thread_id[:8]
    if not branches.steps:
        raise _build_not_started_error(row)
    if step is None:
        hint = text("choose a number from 0 to {number}", number=branches.steps[-1].number)
        raise UsageError(
            text("thread `{thread}` has no step {number}", thread=thread, number=number), hint=hint
        )
    if not step.checkpoint_id:
        raise UsageError(
            text(
                "step {number} of thread `{thread}` is not finished: its tool calls are running",
                number=number,
                thread=thread,
            ),
            hint=text(
                "finish it with `mcode resume {thread}`, or choose an earlier step", thread=thread
            ),
        )
    return step


def find_head(row: ThreadRow, home: Path) -> ThreadStep:
    """Return the conversation's current point, also within a turn; raises UsageError before it."""
    head = read_thread_branches(row, home).head
    if head is None:
        raise _build_not_started_error(row)
    return head


def _build_not_started_error(row: ThreadRow) -> UsageError:
    thread = row.thread_id[:8]
    hint = text("start it with `mcode resume {thread}`", thread=thread)
    return UsageError(text("thread `{thread}` has not started yet", thread=thread), hint=hint)


def _group_files_by_call(
    entries: Sequence[HistoryEntry], parents: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the files that each call changed, those of a sub-agent by the call that sent it."""
    files: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        files[parents.get(entry.key, entry.key)] += [
            change.path for change in filter_visible(entry.changes)
        ]
    return files


def _summarize_step(step: ThreadStep, row: ThreadRow, files: dict[str, list[str]]) -> StepSummary:
    changed = [path for call in step.message.calls for path in files.get(call, ())]
    return StepSummary(
        number=step.number,
        role=step.message.role,
        words=_take_first_line(step.message.text if step.number else row.request),
        tools=step.message.tools,
        files=tuple(dict.fromkeys(changed)),
        at=step.at,
        checkpoint_id=step.checkpoint_id,
        calls=step.message.calls,
    )


def _take_first_line(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip()
