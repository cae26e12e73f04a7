"""Which names gitignore patterns match, whatever their case and however they are spelled."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, cast

from pathspec import GitIgnoreSpec

from .path_variants import folded, is_plain, spellings

Patterns = tuple[str, ...]


def check(patterns: Patterns) -> None:
    """Raise ValueError or re.error where one of them is wrong."""
    _spec(patterns)


def any_matches(patterns: Patterns, name: str) -> bool:
    """Whether the name or a folder above it is matched; as in git, nothing below comes back."""
    return any(
        _folder_matches(patterns, spelling.rpartition("/")[0]) or _matches(patterns, spelling)
        for spelling in spellings(name)
    )


def matching_names(patterns: Patterns, folder: str, names: Iterable[str]) -> set[str]:
    """The names in a folder that are matched, as `any_matches` has it; `.` is the root."""
    prefix = "" if folder == "." else f"{folder}/"
    if prefix and any_matches(patterns, folder):
        return set(names)
    in_any_folder = tuple(one for one in patterns if "/" not in one.rstrip("/"))
    of_paths = tuple(one for one in patterns if one not in in_any_folder)
    names_match, paths_match = _hiding(in_any_folder).search, _hiding(of_paths).search
    below = prefix.lower()

    def may_match(name: str) -> bool:
        """Whether one of the patterns, all in two searches, meets the name or that of a folder."""
        path = below + name
        return bool(
            names_match(name)
            or names_match(f"{name}/")
            or paths_match(path)
            or paths_match(f"{path}/")
        )

    return {
        name
        for name in names
        if (not is_plain(prefix + name) or may_match(name.lower()))
        and any_matches(patterns, prefix + name)
    }


@lru_cache(maxsize=10_000)
def _folder_matches(patterns: Patterns, folder: str) -> bool:
    ends = [*(place for place, letter in enumerate(folder) if letter == "/"), None]
    return any(_matches(patterns, folder[:end]) for end in ends)


@lru_cache(maxsize=100_000)
def _matches(patterns: Patterns, spelling: str) -> bool:
    """Whether the name itself is ignored, or would be as a folder's, as `secrets/**` has it."""
    both, spec = (spelling, spelling + "/"), _spec(patterns)
    return any(map(_hiding(patterns).search, both)) and any(map(spec.match_file, both))


@lru_cache(maxsize=16)
def _spec(patterns: Patterns) -> GitIgnoreSpec:
    for pattern in patterns:
        if "[[" in pattern:  # pathspec would take it for something else
            raise ValueError(f"classes as in {pattern} are not known")
    return GitIgnoreSpec.from_lines(map(folded, patterns))


@lru_cache(maxsize=16)
def _hiding(patterns: Patterns) -> re.Pattern[str]:
    """All patterns that hide, in one: that a name meets none of them is found out at once."""
    hiding = [cast(Any, one).regex.pattern for one in _spec(patterns).patterns if one.include]
    return combined(hiding)


def combined(sources: Iterable[str]) -> re.Pattern[str]:
    """One expression that matches wherever one of them does, without their groups."""
    unnamed = [re.sub(r"\(\?P<\w+>", "(?:", source) for source in sources]
    return re.compile("|".join(f"(?:{source})" for source in unnamed) or "(?!)")
