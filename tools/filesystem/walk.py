"""Walking the files of a project, without those that its `.gitignore` files exclude."""

import os
import re
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from ...config.security.gitignore_match import combine_patterns
from ..result import ToolError
from ..workspace import Workspace
from .file_access import read_bytes
from .safe_open import LIST_FLAGS, open_beneath
from .state_cache import StateCache, find_local_device, read_state

# seconds
MAX_WALK_SECONDS = 30.0
# entries that are kept in memory for the next walk
MAX_CACHED = 200_000


class _GitignoreLine(NamedTuple):
    """What a line of a `.gitignore` means."""

    regex: re.Pattern[str]
    ignores: bool


class _GitignoreFile(NamedTuple):
    """A `.gitignore`."""

    folder: str
    """With a slash."""
    lines: Sequence[_GitignoreLine]
    """The last one first."""
    any_line: re.Pattern[str]
    """All lines in one pattern: most paths match none of them."""


# the innermost last
Rules = tuple[_GitignoreFile, ...]

# the end of `a/**/`: to git it means the folders in `a`, to pathspec `a` too
_FOLDERS_BELOW = re.compile(r"/\*\*/ *$")
# bytes
MAX_GITIGNORE_BYTES = 1_000_000
# files that are kept in memory
MAX_CACHED_FILES = 1_000

_files = StateCache[_GitignoreFile](MAX_CACHED_FILES)


class WalkEntry(NamedTuple):
    """A file, folder or link that a walk has found."""

    name: str
    """Relative to the project."""
    kind: Literal["file", "folder", "link", "other"]
    target: str = ""
    """Where a link led to, relative to the project."""

    @property
    def path(self) -> str:
        """The name, a folder's with a slash; entries are sorted by it."""
        return f"{self.name}/" if self.kind == "folder" else self.name


_listings = StateCache[tuple[Rules, Sequence[WalkEntry]]](MAX_CACHED)


def walk(
    workspace: Workspace, folder: Path, *, deep: bool, seconds: float = MAX_WALK_SECONDS
) -> Iterator[WalkEntry]:
    """Walk a folder in order of paths; never follow a link.

    `deep` yields the files and links of all folders below; else folders are entries themselves.
    A folder that git ignores is shown when it is asked for. Raises ToolError after `seconds`.
    """
    deadline = time.monotonic() + seconds
    device = find_local_device(workspace.root)
    start, rules = workspace.to_relative(folder), _load_rules(workspace, folder)
    levels = [(rules, iter(_list_cached(workspace, start, rules, device)))]
    while levels:
        if time.monotonic() > deadline:
            raise ToolError("there are too many files to look through; name a smaller folder")
        rules, entries = levels[-1]
        for entry in entries:
            if deep and entry.kind == "folder":
                inner = _with_gitignore(workspace, entry.name, rules)
                below = _list_cached(workspace, entry.name, inner, device)
                levels.append((inner, iter(below)))
                break
            yield entry
        else:
            levels.pop()


def walk_by_depth(
    workspace: Workspace, *, largest: int
) -> Iterator[tuple[str, list[WalkEntry] | None]]:
    """Yield each folder of the project with its entries, the project's own first, then deeper ones.

    A folder with more than `largest` files has None: it is not read to its end.
    """
    pending: deque[tuple[str, Rules]] = deque([(".", ())])
    while pending:
        folder, above = pending.popleft()
        rules = _with_gitignore(workspace, folder, above)
        entries = _list_folder(workspace, folder, rules, largest=largest)
        yield folder, entries
        pending += ((entry.name, rules) for entry in entries or () if entry.kind == "folder")


def _list_cached(
    workspace: Workspace, folder: str, rules: Rules, device: int | None
) -> Sequence[WalkEntry]:
    """List a folder as `_list_folder` does, from memory where nothing has changed in it."""
    path = os.path.join(workspace.root, folder)
    key = (workspace.root, workspace.ignore, workspace.own, folder)
    state = read_state(path) if device is not None else None
    listing = _listings.get(key, state) if state else None
    if listing and listing[0] == rules:
        return listing[1]
    links = list[str]()
    entries = _list_folder(workspace, folder, rules, links=links) or ()
    # the target of a link may change without the folder
    if state and state.device == device and not links and read_state(path) == state:
        _listings.add(key, state, (rules, entries), len(entries) + 1)
    return entries


def _list_folder(
    workspace: Workspace,
    folder: str,
    rules: Rules,
    *,
    largest: int = sys.maxsize - 1,
    links: list[str] | None = None,
) -> list[WalkEntry] | None:
    """List the visible entries of a folder; empty if it cannot be opened, or is a link.

    None if it has more than `largest` entries. All links, also hidden ones, are added to `links`.
    """
    try:
        descriptor = open_beneath(workspace.root, folder, LIST_FLAGS)
    except OSError:
        return []
    try:
        with os.scandir(descriptor) as scan:
            inside = list(islice(scan, largest + 1))
        if len(inside) > largest:
            return None
        if links is not None:
            links += (entry.name for entry in inside if entry.is_symlink())
        hidden = workspace.find_hidden_names(folder, [entry.name for entry in inside])
        visible = (entry for entry in inside if entry.name not in hidden)
        seen = [_to_entry(workspace, _build_prefix(folder), entry, rules) for entry in visible]
    except OSError:
        return []
    finally:
        os.close(descriptor)
    return sorted(filter(None, seen), key=lambda entry: entry.path)


def _to_entry(
    workspace: Workspace, prefix: str, dir_entry: os.DirEntry[str], rules: Rules
) -> WalkEntry | None:
    """Build an entry; None if it is hidden or ignored."""
    name = prefix + dir_entry.name
    if dir_entry.is_symlink():
        target = workspace.find_link_target(workspace.root / name)
        entry = WalkEntry(name, "link", target) if target else None
    elif dir_entry.is_dir(follow_symlinks=False):
        entry = WalkEntry(name, "folder")
    else:
        entry = WalkEntry(name, "file" if dir_entry.is_file(follow_symlinks=False) else "other")
    return None if not entry or _is_excluded(entry.path, rules) else entry


def _build_prefix(folder: str) -> str:
    return "" if folder == "." else f"{folder}/"


def _is_excluded(path: str, rules: Rules) -> bool:
    """Return whether git ignores the path."""
    # the last matching line of the innermost `.gitignore` with a match decides
    for file in reversed(rules):
        below = path[len(file.folder) :]
        bare = below.rstrip("/")
        if not (file.any_line.search(below) or (bare != below and file.any_line.search(bare))):
            continue
        for line in file.lines:
            if _is_match(line.regex, below):
                return line.ignores
    return False


def _load_rules(workspace: Workspace, folder: Path) -> Rules:
    """Load the rules for a walk that begins in `folder`, even if that is ignored."""
    rules, below = _with_gitignore(workspace, ".", ()), ""
    for part in folder.relative_to(workspace.root).parts:
        below += f"{part}/"
        if _is_excluded(below, rules):
            rules = ()
        rules = _with_gitignore(workspace, below[:-1], rules)
    return rules


def _with_gitignore(workspace: Workspace, folder: str, rules: Rules) -> Rules:
    """Return the rules with those of the folder; the same object while a file is unchanged."""
    path = os.path.join(workspace.root, folder, ".gitignore")
    state = read_state(path, follow=True)
    if state is None or not os.path.isfile(path):
        return rules
    file = _files.get((path, workspace.root), state)
    if file is None:
        try:
            content = read_bytes(workspace, Path(path), MAX_GITIGNORE_BYTES)
        except ToolError:  # ignored if unreadable
            return rules
        file = _parse_file("" if folder == "." else f"{folder}/", content.decode(errors="replace"))
        if read_state(path, follow=True) == state:
            _files.add((path, workspace.root), state, file)
    return (*rules, file)


def _parse_file(folder: str, text: str) -> _GitignoreFile:
    lines = [line for written in text.splitlines() if (line := _parse_line(written))]
    any_line = combine_patterns(line.regex.pattern for line in lines)
    return _GitignoreFile(folder, lines[::-1], any_line)


def _is_match(regex: re.Pattern[str], path: str) -> bool:
    """Return whether a line matches this path itself, and not only a folder above it."""
    # pathspec also matches below a folder; the walk has checked the folders above already. Its
    # group `ps_d` marks the slash behind a matched folder; without it the line matches what the
    # folder holds (`a/**`), or everything
    if "ps_d" in regex.groupindex:
        return any(match.end() == len(path) for match in regex.finditer(path))
    return bool(regex.search(path.rstrip("/")))


def _parse_line(written: str) -> _GitignoreLine | None:
    """Parse a line; None for a wrong one."""
    # pathspec reads a class such as `[[:alpha:]]` otherwise than git
    try:
        pattern = _FOLDERS_BELOW.sub("/**/*/", written)
        regex, ignores = GitIgnoreSpecPattern.pattern_to_regex(pattern)
        return (
            _GitignoreLine(re.compile(regex), bool(ignores))
            if regex and "[[" not in written
            else None
        )
    except (ValueError, re.error):
        return None
