"""Files that never enter a snapshot: those that no tool may read, and our own data.

Caches are left out too, unless a tool wrote a file in them or the user's git tracks it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

from ...config.security.path_variants import fold_name, list_variants

CACHES = (
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".venv/",
    "node_modules/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    "*.egg-info/",
)


@dataclass(frozen=True)
class Exclusions:
    """The patterns for one folder, in `.gitignore` syntax and ignoring case."""

    patterns: tuple[str, ...]

    def to_git_patterns(self, prefix: str) -> list[str]:
        """Return the patterns and caches for a git whose top is above the folder, at `prefix`.

        `prefix` is empty or ends with a slash.
        """
        return [
            _prefix_pattern(prefix, _ignore_case(pattern)) for pattern in (*CACHES, *self.patterns)
        ]

    def is_excluded(self, path: str) -> bool:
        """Return whether a path must never be stored; paths outside the folder are excluded too."""
        parts = PurePosixPath(path).parts
        if not parts or path.endswith("/"):
            return True
        return any(
            self._is_excluded_spelling(spelling) for spelling in list_variants("/".join(parts))
        )

    def is_skipped_folder(self, folder: str) -> bool:
        """Return whether a folder without snapshot files is not the project's, such as a cache."""
        bare = folder.rstrip("/")
        return self.is_excluded(bare) or self._caches.match_file(f"{bare}/")

    def _is_excluded_spelling(self, spelling: str) -> bool:
        parts = spelling.split("/")
        if {"", "..", ".git"} & set(parts):
            return True
        # as in git, `!` does not re-include files below an ignored folder
        above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        match = self._spec.match_file
        return any(match(name) or match(f"{name}/") for name in above)

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(map(fold_name, self.patterns))

    @cached_property
    def _caches(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(CACHES)


def build_exclusions(folder: Path, data: Path, exclude: Sequence[str]) -> Exclusions:
    """Return the exclusions of a folder's snapshots: `exclude`, and our `data` if it is inside.

    `folder` has no links; the path to `data` may go through some, as a home folder often does.
    """
    own, data = list[str](), data.resolve()
    if data.is_relative_to(folder):
        relative = data.relative_to(folder).as_posix()
        own = ["/" + re.sub(r"([\\*?\[])", r"\\\1", relative) + "/"]
    return Exclusions((*exclude, *own))


def _prefix_pattern(prefix: str, pattern: str) -> str:
    """Prefix a pattern that is relative to the folder (a slash before its end) with its path."""
    sign, bare = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    if not prefix or "/" not in bare.rstrip("/ "):
        return pattern
    escaped = re.sub(r"([\\*?\[])", r"\\\1", prefix)
    return f"{sign}/{escaped}{bare.removeprefix('/')}"


def _ignore_case(pattern: str) -> str:
    """Replace each letter with `[aA]`; git's own `core.ignoreCase` would merge files."""
    pieces = re.findall(r"\\.|\[[!^]?\]?(?:\\.|[^\]\\])*\]|.", pattern, re.DOTALL)
    return "".join(
        f"[{piece.lower()}{piece.upper()}]" if piece.isascii() and piece.isalpha() else piece
        for piece in pieces
    )
