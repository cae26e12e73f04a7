"""What never enters a snapshot: the files that no tool may read, and our own data.

Caches stay outside too, unless a tool wrote a file in them or the user's git tracks it.
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
    """The patterns, written as in `.gitignore`, for one folder; case does not count."""

    patterns: tuple[str, ...]

    def to_git_patterns(self, prefix: str) -> list[str]:
        """The patterns and caches for a git whose top is above the folder, which is at `prefix`.

        `prefix` is empty or ends with a slash.
        """
        return [
            _prefix_pattern(prefix, _ignore_case(pattern)) for pattern in (*CACHES, *self.patterns)
        ]

    def is_excluded(self, path: str) -> bool:
        """Whether a path of the folder may never be stored; so may nothing outside the folder."""
        parts = PurePosixPath(path).parts
        if not parts or path.endswith("/"):
            return True
        return any(
            self._is_excluded_spelling(spelling) for spelling in list_variants("/".join(parts))
        )

    def is_skipped_folder(self, folder: str) -> bool:
        """Whether a folder without a file of a snapshot is none of the project's: a cache, say."""
        bare = folder.rstrip("/")
        return self.is_excluded(bare) or self._caches.match_file(f"{bare}/")

    def _is_excluded_spelling(self, spelling: str) -> bool:
        parts = spelling.split("/")
        if {"", "..", ".git"} & set(parts):
            return True
        # as in git, nothing below an ignored folder comes back
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
    """What stays out of a folder's snapshots: `exclude`, and our `data` if it lies inside.

    `folder` is free of links; the way to `data` may lead through some, as a home's often does.
    """
    own, data = list[str](), data.resolve()
    if data.is_relative_to(folder):
        relative = data.relative_to(folder).as_posix()
        own = ["/" + re.sub(r"([\\*?\[])", r"\\\1", relative) + "/"]
    return Exclusions((*exclude, *own))


def _prefix_pattern(prefix: str, pattern: str) -> str:
    """A pattern with a slash before its end is tied to the folder, which is not git's top."""
    sign, bare = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    if not prefix or "/" not in bare.rstrip("/ "):
        return pattern
    escaped = re.sub(r"([\\*?\[])", r"\\\1", prefix)
    return f"{sign}/{escaped}{bare.removeprefix('/')}"


def _ignore_case(pattern: str) -> str:
    """The pattern with `[aA]` for each letter; git's own `core.ignoreCase` would merge files."""
    found = re.findall(r"\\.|\[[!^]?\]?(?:\\.|[^\]\\])*\]|.", pattern, re.DOTALL)
    return "".join(
        f"[{piece.lower()}{piece.upper()}]" if piece.isascii() and piece.isalpha() else piece
        for piece in found
    )
