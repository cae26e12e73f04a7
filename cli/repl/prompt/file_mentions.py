"""Targets of `@` mentions: agents, and files of the project that tools may read."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

MAX_FILES = 200_000
MAX_OFFERED = 50
# A mention at the end of a line
_MENTION = re.compile(r"(?:^|(?<=\s))@(\"[^\"\n]*\"?|[^\s\"]*)$")


def find_mention_at_end(line: str) -> str | None:
    """Return the unfinished mention at the end of a line, with its `@`; None if there is none."""
    match = _MENTION.search(line)
    return match.group() if match else None


def format_mention(name: str) -> str:
    """Return the mention of a file; a name with blanks is quoted."""
    return f'@"{name}"' if any(char.isspace() for char in name) else f"@{name}"


def rank_names(typed: str, names: Sequence[str]) -> list[str]:
    """Return the names that match, the best first.

    A name matches if it has all typed letters in this order; if none does, similar names are
    returned.
    """
    query = typed.lower()
    if not query:
        return list(names[:MAX_OFFERED])
    letters = re.compile(".*?".join(map(re.escape, query)), re.IGNORECASE)
    fitting = [name for name in names if letters.search(name)]
    if not fitting:
        from rapidfuzz import fuzz, process  # not needed until the user types `@` or `/`

        alike = process.extract(typed, names, scorer=fuzz.WRatio, limit=5, score_cutoff=70)
        return [name for name, _, _ in alike]
    return sorted(fitting, key=lambda name: _score_name(query, name.lower()))[:MAX_OFFERED]


def _score_name(query: str, name: str) -> tuple[float, int, str]:
    """Return a sort key, smaller is better: adjacent letters, at the beginning of the file name."""
    own = name.rstrip("/").rpartition("/")[2]
    if query in own:
        together = 100.0
    else:
        from rapidfuzz import fuzz

        together = max(fuzz.partial_ratio(query, own), fuzz.partial_ratio(query, name) - 5)
    return (-together - 10 * own.startswith(query) - 20 * (own == query), len(name), name)


class FileList(NamedTuple):
    """Paths of a project that `@` can mention."""

    names: list[str]
    """Paths; folders end with a slash."""
    is_cut: bool = False
    """Whether the project has more than `MAX_FILES` files, so that the others are left out."""


class MentionableFiles:
    """The project's files and folders as tools list them: none ignored, secret or outside."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder, self._home = folder, home

    def list_files(self) -> FileList:
        """List them; slow in a large project."""
        walked = iter(self._walk_files())
        names = _with_folders(islice(walked, MAX_FILES))
        return FileList(names, is_cut=next(walked, None) is not None)

    def _walk_files(self) -> Iterable[str]:
        # the tools' own listing, whose settings are not needed until the user types `@`
        from ....config.settings.loader import load_settings
        from ....tools.filesystem.walk import walk
        from ....tools.workspace import Workspace

        patterns = load_settings(self._folder, self._home).settings.security.ignore_patterns
        workspace = Workspace(self._folder, tuple(patterns), self._home)
        return (entry.name for entry in walk(workspace, workspace.root, deep=True))


def _with_folders(names: Iterable[str]) -> list[str]:
    """Return the names with every folder before its content."""
    paths, seen = list[str](), set[str]()
    for name in names:
        folders, above = list[str](), name.rpartition("/")[0]
        while above and above not in seen:
            seen.add(above)
            folders.append(f"{above}/")
            above = above.rpartition("/")[0]
        paths += [*reversed(folders), name]
    return paths
