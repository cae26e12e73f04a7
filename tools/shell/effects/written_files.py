"""Files that a command line deletes, overwrites or creates.

The list is complete only if `LineEffects.more` is empty: other programs do not name their files.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ....config.text import text
from ...workspace import Workspace
from ..parsing.command_line import CommandLine
from ..parsing.flags import NotReadOnlyError
from ..parsing.shell_state import ShellState
from ..parsing.simple_command import SimpleCommand
from ..readonly.tree_access import TraversalOptions, walk_files
from .file_changes import (
    EVERYDAY,
    UnknownChangeError,
    find_created_names,
    find_replaced_names,
    iter_copy_pairs,
)

_ALL = TraversalOptions(lambda name: True, follows_links=True)


@dataclass(frozen=True)
class WrittenFiles:
    """Files that a command line deletes, overwrites or creates."""

    paths: tuple[Path, ...] = ()
    """Paths as named by the command, with the content of folders that change as a whole."""
    doubt: str = ""
    """Why the list may be incomplete."""


def find_written_files(command: str, cwd: str, workspace: Workspace) -> WrittenFiles:
    """Find the files that a line changes if it runs in the folder `cwd` of the project."""
    folder = Path(os.path.normpath(workspace.root / cwd))
    steps = CommandLine(command, ShellState(workspace.root, folder)).steps
    try:
        paths = dict.fromkeys(path for step in steps for path in _iter_written_paths(step))
    except (UnknownChangeError, NotReadOnlyError) as why:
        return WrittenFiles(doubt=str(why))
    return WrittenFiles(tuple(paths))


def _iter_written_paths(step: SimpleCommand) -> Iterator[Path]:
    yield from (
        _resolve_path(redirect.target.text, step) for redirect in step.redirects if redirect.writes
    )
    if step.program not in EVERYDAY:
        return
    for name in (*find_created_names(step), *(find_replaced_names(step) or ())):
        yield _resolve_path(name, step)
    if step.program == "rm":
        yield from (
            path for name in find_replaced_names(step) or () for path in _iter_below(name, step)
        )
    if step.program in ("cp", "mv"):
        yield from _iter_copied_paths(step)


def _iter_copied_paths(step: SimpleCommand) -> Iterator[Path]:
    """Yield the contents of copied or moved folders, by their old and new names."""
    for source, target in iter_copy_pairs(step):
        old, new = _resolve_path(source, step), _resolve_path(target, step)
        for path in (old, *_iter_below(source, step)):
            if path.is_symlink():  # a name below a link would be a different file after the copy
                raise UnknownChangeError(
                    text("it copies or moves the symlink `{name}`", name=path.name)
                )
            yield new / path.relative_to(old)
            if step.program == "mv":
                yield path


def _iter_below(name: str, step: SimpleCommand) -> Iterator[Path]:
    top = _resolve_path(name, step)
    if not top.is_symlink():
        yield from (Path(entry.path) for entry in walk_files(top, _ALL))


def _resolve_path(name: str, step: SimpleCommand) -> Path:
    if step.folder is None:
        raise UnknownChangeError(
            text("the location of `{name}` is not known in advance", name=name)
        )
    return Path(os.path.normpath(step.folder / name))
