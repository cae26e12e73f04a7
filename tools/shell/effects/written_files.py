"""Each file that a line of file programs deletes, overwrites or creates, one by one.

It holds all of them only where `LineEffects.more` is empty: other programs name no files.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...workspace import Workspace
from ..parsing.command_line import Line
from ..parsing.flags import NotReadOnly
from ..parsing.shell_state import Scope
from ..parsing.simple_command import Step
from ..readonly.tree_access import Manner, files_below
from .file_changes import EVERYDAY, UnknownChangeError, landed_by, read_created, read_replaced

_ALL = Manner(lambda name: True, follows_links=True)


@dataclass(frozen=True)
class WrittenFiles:
    """What a command line deletes, overwrites or creates."""

    paths: tuple[Path, ...] = ()
    """By the names that it gives, those in a folder that goes as a whole included."""
    doubt: str = ""
    """Why nobody can name them all."""


def find_written(command: str, cwd: str, workspace: Workspace) -> WrittenFiles:
    """Find out which files a line would change in the folder `cwd` of the project."""
    folder = Path(os.path.normpath(workspace.root / cwd))
    steps = Line(command, Scope(workspace.root, folder)).steps
    try:
        paths = dict.fromkeys(path for step in steps for path in _written(step))
    except (UnknownChangeError, NotReadOnly) as why:
        return WrittenFiles(doubt=str(why))
    return WrittenFiles(tuple(paths))


def _written(step: Step) -> Iterator[Path]:
    yield from (_place(one.target.text, step) for one in step.redirects if one.writes)
    if step.program not in EVERYDAY:
        return
    for name in (*read_created(step), *(read_replaced(step) or ())):
        yield _place(name, step)
    if step.program == "rm":
        yield from (path for name in read_replaced(step) or () for path in _below(name, step))
    if step.program in ("cp", "mv"):
        yield from _carried(step)


def _carried(step: Step) -> Iterator[Path]:
    """What is in the folders that are copied or moved, by its old names and its new ones."""
    for source, target in landed_by(step):
        old, new = _place(source, step), _place(target, step)
        for path in (old, *_below(source, step)):
            if path.is_symlink():  # a name behind it would be another file than it is now
                raise UnknownChangeError(f"it copies or moves the link `{path.name}`")
            yield new / path.relative_to(old)
            if step.program == "mv":
                yield path


def _below(name: str, step: Step) -> Iterator[Path]:
    top = _place(name, step)
    if not top.is_symlink():
        yield from (Path(entry.path) for entry in files_below(top, _ALL))


def _place(name: str, step: Step) -> Path:
    if step.folder is None:
        raise UnknownChangeError(f"where `{name}` is only a run would tell")
    return Path(os.path.normpath(step.folder / name))
