"""File name patterns: `*`, `?`, `[…]`, `{a,b}`, and `**` for any number of folders."""

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

from .result import ToolError

MAX_ALTERNATIVES = 200

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Compile a pattern to a test for relative paths; without `/` it matches in any folder.

    An empty pattern matches all. Raises ToolError for a pattern that leads out of the folder.
    """
    if not pattern:
        return lambda path: True
    patterns = [_split_pattern(alternative) for alternative in _expand_braces(pattern)]
    if all(len(parts) == 2 and parts[0] == "**" != parts[1] for parts in patterns):
        names = [name for _, name in patterns]
        return lambda path: any(fnmatchcase(path.rpartition("/")[2], name) for name in names)
    return lambda path: any(_matches_parts(path.split("/"), parts) for parts in patterns)


def _expand_braces(pattern: str) -> list[str]:
    alternatives = [pattern]
    while _BRACES.search(alternatives[0]):  # the innermost braces, which are alike in all of them
        alternatives = [
            choice for alternative in alternatives for choice in _split_choices(alternative)
        ]
        if len(alternatives) > MAX_ALTERNATIVES:
            raise ToolError(f"`{pattern}` has more than {MAX_ALTERNATIVES} alternatives")
    return alternatives


def _split_choices(pattern: str) -> Iterable[str]:
    head, choices, tail = _BRACES.split(pattern, maxsplit=1)
    return (head + choice + tail for choice in choices.split(","))


def _split_pattern(pattern: str) -> list[str]:
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ToolError(f"`{pattern}` leads out of the folder; leave out `..`, or name a `path`")
    above = [] if "/" in pattern.rstrip("/") else ["**"]
    below = ["**"] if pattern.endswith("/") or not parts else []
    return [*above, *parts, *below]


def _matches_parts(path: Sequence[str], pattern: Sequence[str]) -> bool:
    reached = _with_skips({0}, pattern)
    for name in path:
        skips = {place for place in reached if pattern[place : place + 1] == ["**"]}
        steps = {
            place + 1
            for place in reached - skips
            if place < len(pattern) and fnmatchcase(name, pattern[place])
        }
        reached = _with_skips(skips | steps, pattern)
    return len(pattern) in reached


def _with_skips(places: set[int], pattern: Sequence[str]) -> set[int]:
    # `**` also matches no folder at all
    reachable = set(places)
    for place, part in enumerate(pattern):
        if part == "**" and place in reachable:
            reachable.add(place + 1)
    return reachable
