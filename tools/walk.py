"""Which files a listing shows: a walk through the project that leaves out what git ignores."""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from .files import read_bytes
from .result import ToolRefusal
from .workspace import Workspace

Entry = os.DirEntry[str]
_Rules = tuple[tuple[str, GitIgnoreSpec], ...]
"""Folder, with a slash, and what its `.gitignore` says; the innermost last."""

LARGEST_GITIGNORE = 1_000_000
"""Bytes."""
LONGEST_WALK = 30.0
"""Seconds."""


def walk(
    workspace: Workspace, folder: Path, *, deep: bool, seconds: float = LONGEST_WALK
) -> Iterator[Entry]:
    """What is to be seen in a folder, in order of paths; links are never followed.

    `deep` yields the files and links of all folders below; else folders are entries themselves.
    A folder that git ignores is shown when it is asked for. Raises ToolRefusal when time is over.
    """
    deadline = time.monotonic() + seconds
    rules = _rules_above(workspace, folder)
    levels = [(rules, iter(_entries(workspace, folder, rules)))]
    while levels:
        if time.monotonic() > deadline:
            raise ToolRefusal("there are too many files to look through; name a smaller folder")
        rules, entries = levels[-1]
        entry = next(entries, None)
        if entry is None:
            levels.pop()
        elif deep and _is_folder(entry):
            inner = _with_gitignore(workspace, Path(entry.path), rules)
            levels.append((inner, iter(_entries(workspace, Path(entry.path), inner))))
        else:
            yield entry


def _entries(workspace: Workspace, folder: Path, rules: _Rules) -> list[Entry]:
    try:
        with os.scandir(folder) as scan:
            found = [entry for entry in scan if _is_shown(workspace, entry, rules)]
    except OSError:  # gone meanwhile, or not ours to read: nothing to be seen
        return []
    return sorted(found, key=_path_of)


def _is_shown(workspace: Workspace, entry: Entry, rules: _Rules) -> bool:
    if _is_excluded(_path_of(entry), rules):
        return False
    if entry.is_symlink():
        return not workspace.is_hidden(Path(entry.path))
    return not workspace.hides_name(entry.path[len(_prefix(workspace.root)) :])


def _is_folder(entry: Entry) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _prefix(folder: Path) -> str:
    return f"{folder}".rstrip("/") + "/"


def _path_of(entry: Entry) -> str:
    """The path, a folder's with a slash."""
    return f"{entry.path}/" if _is_folder(entry) else entry.path


def _is_excluded(path: str, rules: _Rules) -> bool:
    """The innermost `.gitignore` that says anything decides."""
    for folder, spec in reversed(rules):
        included = spec.check_file(path[len(folder) :]).include
        if included is not None:
            return included
    return False


def _rules_above(workspace: Workspace, folder: Path) -> _Rules:
    """The rules for a walk that begins in `folder`, which itself is never left out."""
    inner = folder.relative_to(workspace.root).parts
    rules = _with_gitignore(workspace, workspace.root, ())
    for depth in range(len(inner)):
        below = workspace.root.joinpath(*inner[: depth + 1])
        if _is_excluded(_prefix(below), rules):
            rules = ()
        rules = _with_gitignore(workspace, below, rules)
    return rules


def _with_gitignore(workspace: Workspace, folder: Path, rules: _Rules) -> _Rules:
    path = folder / ".gitignore"
    if not os.path.isfile(path):
        return rules
    try:
        text = read_bytes(workspace, path, LARGEST_GITIGNORE).decode(errors="replace")
    except ToolRefusal:  # what cannot be read says nothing
        return rules
    patterns = [pattern for line in text.splitlines() if (pattern := _pattern(line))]
    return (*rules, (_prefix(folder), GitIgnoreSpec(patterns)))


def _pattern(line: str) -> GitIgnoreSpecPattern | None:
    """A line's meaning; a wrong line, or one with a class like `[[:alpha:]]`, has none."""
    try:
        return None if "[[" in line else GitIgnoreSpecPattern(line)
    except (ValueError, re.error):
        return None
