"""Which names gitignore patterns match, whatever their case and however they are spelled."""

import re
from functools import lru_cache
from typing import Any, cast

from pathspec import GitIgnoreSpec

from .path_variants import folded, spellings

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
    unnamed = [re.sub(r"\(\?P<\w+>", "(?:", source) for source in hiding]
    return re.compile("|".join(f"(?:{source})" for source in unnamed) or "(?!)")
