"""Listings of folders for the tools: resolve the folder, find and format its entries."""

import stat
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from pathlib import Path

from ..result import ToolError
from ..workspace import Workspace
from .file_access import get_stat
from .text_codec import to_one_line
from .walk import WalkEntry, walk

# most files that are searched for a name similar to a missing one
SEARCHED_FOR_NAMES = 20_000


def resolve_existing(workspace: Workspace, path: str) -> Path:
    """Resolve a path that must exist; raise ToolError, with similar names, if it does not."""
    resolved = workspace.resolve(path)
    if get_stat(workspace, resolved) is None:
        near = [f"`{to_one_line(name)}`" for name in _find_similar_names(workspace, resolved)]
        hint = f"did you mean {' or '.join(near)}?" if near else "`glob` finds files by name"
        raise ToolError(f"`{to_one_line(path)}` does not exist; {hint}")
    return resolved


def resolve_folder(workspace: Workspace, path: str) -> Path:
    """Resolve a folder; raise ToolError if it is not one, or is never listed."""
    folder = resolve_existing(workspace, path)
    stat_result = get_stat(workspace, folder)
    if not (stat_result and stat.S_ISDIR(stat_result.st_mode)):
        raise ToolError(f"`{to_one_line(path)}` is not a folder; `read_file` shows a file")
    if workspace.is_hidden(folder):
        raise ToolError(f"`{to_one_line(path)}` is never listed; the git tools tell about `.git`")
    return folder


def find_entries(
    workspace: Workspace, folder: Path, fits: Callable[[str], bool], *, deep: bool
) -> Iterator[WalkEntry]:
    """Walk a folder and keep the entries whose name below it fits, each with its shown name."""
    start = 0 if folder == workspace.root else len(workspace.to_relative(folder)) + 1
    return (
        entry._replace(name=workspace.to_shown(entry.name))
        for entry in walk(workspace, folder, deep=deep)
        if fits(entry.name[start:])
    )


def format_entries(entries: Iterable[WalkEntry], limit: int, hint: str) -> str:
    """Format the first `limit` entries, one a line; `hint` says how to see others."""
    lines = [_format_entry(entry) for entry in islice(entries, limit + 1)]
    if not lines:
        return "[nothing found; what git ignores and secret files are not listed]"
    if len(lines) > limit:
        lines[limit:] = [f"[there are more than {limit}; {hint}]"]
    return "\n".join(lines)


def _format_entry(entry: WalkEntry) -> str:
    path = to_one_line(entry.path)
    return f"{path} -> {to_one_line(entry.target)}" if entry.kind == "link" else path


def _find_similar_names(workspace: Workspace, missing: Path) -> list[str]:
    """Find up to three files with names like the missing one, the most similar path first."""
    missing_path = workspace.to_relative(missing)
    by_name: dict[str, list[str]] = {}
    for entry in islice(walk(workspace, workspace.root, deep=True), SEARCHED_FOR_NAMES):
        by_name.setdefault(entry.name.rpartition("/")[2], []).append(entry.name)
    close = get_close_matches(missing.name, by_name, n=10, cutoff=0.75)
    paths = [path for name in close for path in by_name[name]]
    return sorted(paths, key=lambda path: -SequenceMatcher(None, path, missing_path).ratio())[:3]
