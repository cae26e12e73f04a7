"""A thread's steps as people choose among them; without loading LangGraph."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ...config import paths
from ...config.errors import UsageError
from ...memory.checkpoints.steps import Branches, Step, branches, left
from ...memory.database.connection import connect, explained
from ...memory.snapshots.file_version import visible
from ...memory.threads.record import ThreadRow
from ...memory.undo.history import Entry, FileHistory


@dataclass(frozen=True)
class StepLine:
    """One step, in short."""

    number: int
    """0 is the beginning."""
    role: str
    """Who spoke; empty for the beginning."""
    words: str
    """The first line of what was said; of the beginning, of what was asked."""
    tools: tuple[str, ...]
    """Names of the tools called."""
    files: tuple[str, ...]
    """The files that its calls changed."""
    at: str
    """ISO 8601, UTC."""
    checkpoint_id: str
    """Empty while its calls are under way: nobody can go back there yet."""


def steps(row: ThreadRow, home: Path) -> list[StepLine]:
    """The steps of the thread's conversation as it is."""
    files = _files_by_call(FileHistory(paths.database(home)).entries(row.thread_id))
    return [_line(step, row, files) for step in branches_of(row, home).steps]


def branches_of(row: ThreadRow, home: Path) -> Branches:
    """All steps of the thread, also those that were left by going back."""
    path = paths.database(home)
    with explained(path), closing(connect(path)) as connection:
        return branches(connection, row.thread_id)


def left_of(row: ThreadRow, home: Path) -> list[tuple[int, int]]:
    """The first and last steps of each branch that was left by going back, the newest first."""
    path = paths.database(home)
    with explained(path), closing(connect(path)) as connection:
        return [(steps[0].number, steps[-1].number) for steps in left(connection, row.thread_id)]


def step_of(row: ThreadRow, home: Path, number: int) -> Step:
    """The step with that number; raises UsageError when nobody can go there."""
    known = branches_of(row, home)
    step, thread = known.find(number), row.thread_id[:8]
    if not known.steps:
        raise _not_begun(row)
    if step is None:
        hint = f"choose a number from 0 to {known.steps[-1].number}"
        raise UsageError(f"thread `{thread}` has no step {number}", hint=hint)
    if not step.checkpoint_id:
        raise UsageError(
            f"step {number} of thread `{thread}` is not finished: its tool calls are running",
            hint=f"finish it with `mcode resume {thread}`, or choose an earlier step",
        )
    return step


def head_of(row: ThreadRow, home: Path) -> Step:
    """Where the conversation is now, also in the middle of a turn; raises UsageError before it."""
    head = branches_of(row, home).head
    if head is None:
        raise _not_begun(row)
    return head


def _not_begun(row: ThreadRow) -> UsageError:
    thread = row.thread_id[:8]
    hint = f"start it with `mcode resume {thread}`"
    return UsageError(f"thread `{thread}` has not started yet", hint=hint)


def _files_by_call(entries: Sequence[Entry]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        files[entry.key] += [change.path for change in visible(entry.changes)]
    return files


def _line(step: Step, row: ThreadRow, files: dict[str, list[str]]) -> StepLine:
    changed = [path for call in step.said.calls for path in files.get(call, ())]
    return StepLine(
        number=step.number,
        role=step.said.role,
        words=_first_line(step.said.words if step.number else row.request),
        tools=step.said.tools,
        files=tuple(dict.fromkeys(changed)),
        at=step.at,
        checkpoint_id=step.checkpoint_id,
    )


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip()
