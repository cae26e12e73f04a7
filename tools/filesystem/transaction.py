"""Write several files, all or none."""

import stat
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from ..cancellable_thread import to_the_end
from ..result import ToolRefusal, ToolRun
from ..workspace import Workspace
from .commit import Prepared, Saved, stage, take_back
from .file_access import change_mode


@dataclass(frozen=True)
class FileChange:
    """A change of one file that has been prepared."""

    prepared: Prepared
    executable: bool | None = None
    """Whether it is to be a program; None leaves that as it is."""


def write_all(run: ToolRun, changes: Sequence[FileChange]) -> list[Saved]:
    """Make the changes, removals last, in a worker thread that holds the files.

    Raises ToolRefusal when one cannot be made: then those made before it are taken back. A kill
    leaves some of them made; what stands in a file is its old content or its new one.
    """
    removals_last = sorted(changes, key=lambda change: change.prepared.after is None)
    made, saved = list[FileChange](), dict[str, Saved]()
    with to_the_end():
        try:
            with ExitStack() as stages:
                staged = [stages.enter_context(stage(run, one.prepared)) for one in removals_last]
                for change, one in zip(removals_last, staged, strict=True):
                    saved[change.prepared.name] = one.commit()
                    made.append(change)
                    _set_executable(run.workspace, change)
        except ToolRefusal as refusal:
            if not made:
                raise
            taken_back = _all_taken_back(run.workspace, made)
            raise ToolRefusal(f"{refusal}. {taken_back}") from refusal
    return [saved[change.prepared.name] for change in changes]


def _set_executable(workspace: Workspace, change: FileChange) -> None:
    if change.executable is None or change.prepared.after is None:
        return
    to = _as_program if change.executable else _as_plain_file
    change_mode(workspace, change.prepared.path, to)


def _as_program(mode: int) -> int:
    """Whoever may read it may run it."""
    return mode | (mode & 0o444) >> 2


def _as_plain_file(mode: int) -> int:
    return mode & ~0o111


def _all_taken_back(workspace: Workspace, made: Sequence[FileChange]) -> str:
    """Undo the changes, the last first; in words how that went."""
    left = list[str]()
    for change in reversed(made):
        try:
            _taken_back(workspace, change.prepared)
        except ToolRefusal as refusal:
            left.append(str(refusal))
    if left:
        return f"Putting back what was written before failed: {'; '.join(left)}"
    return "Nothing was changed: what was written before is as it was"


def _taken_back(workspace: Workspace, prepared: Prepared) -> None:
    take_back(workspace, prepared)
    if prepared.before is not None and prepared.like:
        old = stat.S_IMODE(prepared.like.st_mode)
        change_mode(workspace, prepared.path, lambda mode: old)
