"""The `.gitignore` files of a project's folders: which paths git ignores."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from ...config.security.gitignore_match import combine_patterns
from ..result import ToolError
from ..workspace import Workspace
from .file_access import read_bytes
from .state_cache import StateCache, read_state


class _GitignoreLine(NamedTuple):
    """What a line of a `.gitignore` means."""

    regex: re.Pattern[str]
    ignores: bool


class GitignoreFile(NamedTuple):
    """A `.gitignore`."""

    folder: str
    """With a slash."""
    lines: Sequence[_GitignoreLine]
    """The last one first."""
    any_line: re.Pattern[str]
    """All lines in one pattern: most paths match none of them."""


# the innermost last
Rules = tuple[GitignoreFile, ...]

# the end of `a/**/`: to git it means the folders in `a`, to pathspec `a` too
_FOLDERS_BELOW = re.compile(r"/\*\*/ *$")
# bytes
MAX_GITIGNORE_BYTES = 1_000_000
# files that are kept in memory
MAX_CACHED = 1_000

_files = StateCache[GitignoreFile](MAX_CACHED)


def is_excluded(path: str, rules: Rules) -> bool:
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


def load_rules(workspace: Workspace, folder: Path) -> Rules:
    """Load the rules for a walk that begins in `folder`, even if that is ignored."""
    rules, below = with_gitignore(workspace, ".", ()), ""
    for part in folder.relative_to(workspace.root).parts:
        below += f"{part}/"
        if is_excluded(below, rules):
            rules = ()
        rules = with_gitignore(workspace, below[:-1], rules)
    return rules


def with_gitignore(workspace: Workspace, folder: str, rules: Rules) -> Rules:
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


def _parse_file(folder: str, text: str) -> GitignoreFile:
    lines = [line for written in text.splitlines() if (line := _parse_line(written))]
    any_line = combine_patterns(line.regex.pattern for line in lines)
    return GitignoreFile(folder, lines[::-1], any_line)


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
