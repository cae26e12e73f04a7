"""Matching of names with gitignore patterns, in any case and spelling."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, cast

from pathspec import GitIgnoreSpec

from ..text import text
from .path_variants import fold_name, is_plain, list_variants

Patterns = tuple[str, ...]

# how pathspec begins a pattern that holds in every folder
_ANYWHERE = "^(?:.+/)?"
# and how one ends that matches a name with a slash if it matches the name
_ENDS = ("/", "(?:(?P<ps_d>/)|$)")
# A class with a backslash in it, as `[a\]b]`
_ESCAPE_IN_CLASS = re.compile(r"(?<!\\)\[[^\]]*\\")


def validate_patterns(patterns: Patterns) -> None:
    """Raise ValueError or re.error for an invalid pattern."""
    _compile_spec(patterns)


def matches_any(patterns: Patterns, name: str) -> bool:
    """Return whether a pattern matches the name or a parent; `!` does not undo a parent's match."""
    return any(
        _matches_folder(patterns, spelling.rpartition("/")[0]) or _matches_name(patterns, spelling)
        for spelling in list_variants(name)
    )


def filter_matches(patterns: Patterns, folder: str, names: Iterable[str]) -> set[str]:
    """Return the matching names in a folder, as `matches_any` does; `.` is the root."""
    prefix = "" if folder == "." else f"{folder}/"
    if prefix and matches_any(patterns, folder):
        return set(names)
    names = list(names)
    in_any_folder, of_paths = _split_patterns(patterns)
    if is_plain(prefix + "/".join(names)) and not (
        _may_match_some(in_any_folder, "", names)
        or _may_match_some(of_paths, prefix.lower(), names)
    ):
        return set()
    names_match, paths_match = (
        _compile_ignore_regex(in_any_folder).search,
        _compile_ignore_regex(of_paths).search,
    )
    below = prefix.lower()

    def may_match(name: str) -> bool:
        """Check by two searches whether any pattern matches the name or that of a folder."""
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
        and matches_any(patterns, prefix + name)
    }


def _may_match_some(patterns: Patterns, prefix: str, names: Sequence[str]) -> bool:
    """Check by one search whether a pattern may match one of the plain names."""
    regex = _compile_line_regex(patterns)
    return regex is None or bool(
        names and regex.search(prefix + f"/\n{prefix}".join(names).lower() + "/")
    )


@lru_cache(maxsize=16)
def _split_patterns(patterns: Patterns) -> tuple[Patterns, Patterns]:
    """Return the patterns that hold in any folder, and those with a path."""
    in_any_folder = tuple(pattern for pattern in patterns if "/" not in pattern.rstrip("/"))
    return in_any_folder, tuple(pattern for pattern in patterns if pattern not in in_any_folder)


@lru_cache(maxsize=16)
def _compile_line_regex(patterns: Patterns) -> re.Pattern[str] | None:
    """Compile the patterns to search many names, one a line, with a slash at its end.

    None if such a name says too little about the one without the slash.
    """
    sources = _list_ignoring(patterns)
    if not all(source.startswith("^") and source.endswith(_ENDS) for source in sources):
        return None
    return re.compile(combine_patterns(sources).pattern, re.MULTILINE)


@lru_cache(maxsize=10_000)
def _matches_folder(patterns: Patterns, folder: str) -> bool:
    ends = [*(place for place, letter in enumerate(folder) if letter == "/"), None]
    return any(_matches_name(patterns, folder[:end]) for end in ends)


@lru_cache(maxsize=100_000)
def _matches_name(patterns: Patterns, spelling: str) -> bool:
    """Return whether the name is ignored, also as a folder's, as in `secrets/**`."""
    both, spec = (spelling, spelling + "/"), _compile_spec(patterns)
    return any(map(_compile_ignore_regex(patterns).search, both)) and any(
        map(spec.match_file, both)
    )


@lru_cache(maxsize=16)
def _compile_spec(patterns: Patterns) -> GitIgnoreSpec:
    for pattern in patterns:
        if "[[" in pattern or _ESCAPE_IN_CLASS.search(pattern):  # pathspec would misread it
            raise ValueError(text("classes as in {pattern} are not known", pattern=pattern))
    return GitIgnoreSpec.from_lines(map(fold_name, patterns))


@lru_cache(maxsize=16)
def _compile_ignore_regex(patterns: Patterns) -> re.Pattern[str]:
    """Join all ignoring patterns, to rule out most names with one search."""
    return combine_patterns(_list_ignoring(patterns))


def _list_ignoring(patterns: Patterns) -> list[str]:
    compiled = _compile_spec(patterns).patterns
    return [cast(Any, pattern).regex.pattern for pattern in compiled if pattern.include]


def combine_patterns(sources: Iterable[str]) -> re.Pattern[str]:
    """Join regular expressions into one that matches if one of them does, without their groups."""
    unnamed = [re.sub(r"\(\?P<\w+>", "(?:", source) for source in sources]
    # what most begin with is looked for once, not once for each
    tails = [source.removeprefix(_ANYWHERE) for source in unnamed if source.startswith(_ANYWHERE)]
    others = [f"(?:{source})" for source in unnamed if not source.startswith(_ANYWHERE)]
    shared = [f"{_ANYWHERE}(?:{'|'.join(tails)})"] if tails else []
    return re.compile("|".join([*others, *shared]) or "(?!)")
