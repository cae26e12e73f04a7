"""Transactions: several files are written, or none."""

import stat
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from ..cancellable_thread import without_cancellation
from ..result import ToolError
from ..workspace import Workspace
from .commit import CommitResult, PreparedChange, revert_change, stage_change
from .file_access import change_mode
from .file_context import FileContext


@dataclass(frozen=True)
class TransactionChange:
    """A change of one file that has been prepared."""

    prepared: PreparedChange
    executable: bool | None = None
    """Whether it is to be a program; None leaves that as it is."""


def write_all(run: FileContext, changes: Sequence[TransactionChange]) -> list[CommitResult]:
    """Make the changes, removals last, in a worker thread that has locked the files.

    Raises ToolError when one fails, after reverting those before it. A kill leaves some of them
    made; each file then has its old content or its new one.
    """
    removals_last = sorted(changes, key=lambda change: change.prepared.after is None)
    made, saved = list[TransactionChange](), dict[str, CommitResult]()
    with without_cancellation():
        try:
            with ExitStack() as stages:
                staged = [
                    stages.enter_context(stage_change(run, planned.prepared))
                    for planned in removals_last
                ]
                for change, staged_change in zip(removals_last, staged, strict=True):
                    saved[change.prepared.name] = staged_change.commit()
                    made.append(change)
                    _set_executable(run.workspace, change)
        except ToolError as refusal:
            if not made:
                raise
            taken_back = _revert_all(run.workspace, made)
            raise ToolError(f"{refusal}. {taken_back}") from refusal
    return [saved[change.prepared.name] for change in changes]


def _set_executable(workspace: Workspace, change: TransactionChange) -> None:
    if change.executable is None or change.prepared.after is None:
        return
    to = _as_program if change.executable else _as_plain_file
    change_mode(workspace, change.prepared.path, to)


def _as_program(mode: int) -> int:
    # who may read it may run it
    return mode | (mode & 0o444) >> 2


def _as_plain_file(mode: int) -> int:
    return mode & ~0o111


def _revert_all(workspace: Workspace, made: Sequence[TransactionChange]) -> str:
    """Revert the changes, the last first; return a sentence about the outcome."""
    left = list[str]()
    for change in reversed(made):
        try:
            _revert_with_mode(workspace, change.prepared)
        except ToolError as refusal:
            left.append(str(refusal))
    if left:
        return f"Putting back what was written before failed: {'; '.join(left)}"
    return "Nothing was changed: what was written before is as it was"


def _revert_with_mode(workspace: Workspace, prepared: PreparedChange) -> None:
    revert_change(workspace, prepared)
    if prepared.before is not None and prepared.like:
        old = stat.S_IMODE(prepared.like.st_mode)
        change_mode(workspace, prepared.path, lambda mode: old)
