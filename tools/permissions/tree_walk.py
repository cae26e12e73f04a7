"""The walk through a folder that a command reads."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..shell.parsing.flags import NotReadOnlyError
from ..shell.readonly.tree_access import RipgrepIgnore
from .tree_filters import TreeFilter

# Most files and folders that are looked at for one folder
MAX_TREE_ENTRIES = 50_000

Skips = Literal["none", "ignored", "hidden"]
"""What a program passes by itself; `hidden`: hidden files, and ignored ones."""


class TooManyFilesError(Exception):
    """A folder has too many files to be checked."""


@dataclass(frozen=True)
class ReadTree:
    """A folder that a command reads."""

    top: str
    """Its real path."""
    view: str
    """Its path as the program's patterns see it."""
    filter: TreeFilter
    follows: bool = False
    """Whether links are followed."""
    skips: Skips = "none"
    is_certain: bool = True
    """Whether it is certain that this folder is read."""
    may_skip_top: bool = False
    """Whether the filter applies to the folder itself."""


def walk_tree(tree: ReadTree, root: Path, matches: Callable[[str], bool]) -> Iterator[str]:
    """Yield the project's files that match and that the command reads, by their paths.

    The names come first: what is ignored costs more. Raises TooManyFilesError.
    """
    start = _find_start(tree, str(root))
    if not start or (tree.may_skip_top and tree.filter.skips_folder(tree.view)):
        return
    ignored = _build_ignored(tree, root)
    folders, linked, remaining = [start], set[str](), MAX_TREE_ENTRIES
    while folders:
        real, view = folders.pop()
        entries = _list_entries(real)
        remaining -= len(entries)
        if remaining < 0:
            raise TooManyFilesError
        below = os.path.relpath(real, root)
        name_prefix, prefix = "" if below == "." else f"{below}/", f"{view}/" if view else ""
        for entry in entries:
            path, names = prefix + entry.name, (name_prefix + entry.name,)
            is_folder = entry.is_dir(follow_symlinks=False)
            location = entry.path
            if entry.is_symlink():
                location = os.path.realpath(location) if tree.follows else ""
                is_folder = os.path.isdir(location)
                if not location or location in linked or not _is_below(location, str(root)):
                    continue
                linked.update([location] if is_folder else [])
                names = (*names, os.path.relpath(location, root))
            if is_folder:
                if entry.name != ".git" and not _skips_folder(tree, path, location, ignored):
                    folders.append((location, path))
            elif (name := next(filter(matches, names), "")) and _reads(
                tree, path, location, ignored
            ):
                yield name


def _find_start(tree: ReadTree, root: str) -> tuple[str, str] | None:
    """Return the first folder and its view; of a folder above the project, the project's."""
    if _is_below(tree.top, root):
        return tree.top, tree.view
    if _is_below(root, tree.top):
        return root, os.path.join(tree.view, os.path.relpath(root, tree.top))
    return None


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _list_entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as scan:
            return list(scan)
    except OSError:  # missing, or not readable
        return []


def _skips_folder(tree: ReadTree, path: str, location: str, ignored: Callable[[str], bool]) -> bool:
    return tree.filter.skips_folder(path) or (not tree.filter.takes_in(path) and ignored(location))


def _reads(tree: ReadTree, path: str, location: str, ignored: Callable[[str], bool]) -> bool:
    return tree.filter.reads(path) and (tree.filter.takes_in(path) or not ignored(location))


def _build_ignored(tree: ReadTree, root: Path) -> Callable[[str], bool]:
    """Return what a program skips by itself: hidden names, and those of its ignore files."""
    if tree.skips == "none":
        return lambda path: False
    skips = RipgrepIgnore(root, lambda name: tree.skips == "ignored" and name.startswith("."))

    def ignored(path: str) -> bool:
        try:
            return skips(Path(path))
        except NotReadOnlyError:  # its ignore file is not understood
            return False

    return ignored
