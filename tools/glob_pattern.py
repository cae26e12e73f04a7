"""File name patterns as in `.gitignore`, and `{a,b}`: git decides what they mean.

`*`, `?`, `[a-z]`, `[!a]` or `[^a]`, `[[:digit:]]`, `**` for any number of folders, and a backslash
before a character that means itself. What git takes for a pattern that matches nothing, such as
`[a`, is refused: a rule would be open without a word.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from .result import ToolError

MAX_ALTERNATIVES = 200

_BRACES = re.compile(r"(?<!\\)\{([^{}]*,[^{}]*)(?<!\\)\}")
_OLD_STARS = re.compile(r"(?<=[^/*])\*{2,}/")
_CLASS_NAME = re.compile(r"\[:(\w*):\]")
_POSIX = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-\/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_ESCAPED = frozenset("*?[]{}\\!#^- ")
Name = re.Pattern[str]


def compile_glob(pattern: str, *, loosely: bool = False) -> Callable[[str], bool]:
    """Compile a pattern to a test for relative paths; without `/` it matches in any folder.

    An empty pattern matches all. `loosely`: in any case, and `a**/b` at any depth or as `ab`, as
    gits before 2.41 have it. Raises ToolError for a pattern that leads out of the folder, or
    that matches nothing.
    """
    if not pattern:
        return lambda path: True
    flags = re.DOTALL | (re.IGNORECASE if loosely else 0)
    patterns = [
        [None if part == "**" else _compile_name(part, pattern, flags) for part in parts]
        for alternative in _expand_braces(pattern)
        for parts in _list_parts(alternative, loosely=loosely)
    ]
    if all(len(parts) == 2 and parts[0] is None and parts[1] for parts in patterns):
        names = [name for _, name in patterns if name]
        return lambda path: any(name.fullmatch(path.rpartition("/")[2]) for name in names)
    return lambda path: any(_matches_parts(path.split("/"), parts) for parts in patterns)


def _compile_name(part: str, pattern: str, flags: int) -> Name:
    """Compile what stands between two slashes, so that no name takes long."""
    pieces, at = [""], 0
    while at < len(part):
        letter = part[at]
        if letter == "*":
            pieces.append("")
            at += 1
            continue
        if letter == "[":
            translated, at = _translate_class(part, at, pattern)
        elif letter == "\\":
            translated, at = re.escape(_read_escaped(part, at + 1, pattern)), at + 2
        else:
            translated, at = "." if letter == "?" else re.escape(letter), at + 1
        pieces[-1] += translated
    if len(pieces) == 1:
        return re.compile(pieces[0], flags)
    first, *middle, last = pieces
    skips = "".join(f"(?>.*?{piece})" for piece in middle if piece)
    return re.compile(f"{first}{skips}.*{last}", flags)


def _translate_class(part: str, start: int, pattern: str) -> tuple[str, int]:
    """Translate `[…]` that begins here; return the place after it, too."""
    at = start + 1
    sign = "^" if part[at : at + 1] in ("!", "^") else ""
    at += bool(sign)
    members, is_first = "", True
    while is_first or part[at : at + 1] != "]":
        if named := _CLASS_NAME.match(part[at:]):
            if named[1] not in _POSIX:
                raise ToolError(f"`{pattern}` names no class of characters by `{named[0]}`")
            members, at = members + _POSIX[named[1]], at + named.end()
        else:
            low, at = _read_member(part, at, pattern)
            high = low
            if part[at : at + 1] == "-" and part[at + 1 : at + 2] not in ("", "]"):
                high, at = _read_member(part, at + 1, pattern)
            # git takes `[b-a]` for `[b]`
            members += re.escape(low) + (f"-{re.escape(high)}" if low < high else "")
        is_first = False
    return f"[{sign}{members}]", at + 1


def _read_member(part: str, at: int, pattern: str) -> tuple[str, int]:
    if at >= len(part):
        raise ToolError(f"`{pattern}` has no `]` for its `[`; a `[` that means itself is `\\[`")
    if part[at] == "\\":
        return _read_escaped(part, at + 1, pattern), at + 2
    return part[at], at + 1


def _read_escaped(part: str, at: int, pattern: str) -> str:
    if part[at : at + 1] not in _ESCAPED or at >= len(part):
        raise ToolError(
            f"`{pattern}` has a `\\` that stands before no special character; between folders "
            "write `/`"
        )
    return part[at]


def _expand_braces(pattern: str) -> list[str]:
    alternatives = [pattern]
    while _BRACES.search(alternatives[0]):  # the innermost braces, which are alike in all of them
        alternatives = [
            choice for alternative in alternatives for choice in _split_choices(alternative)
        ]
        _check_count(alternatives, pattern)
    return alternatives


def _check_count(alternatives: Sequence[str], pattern: str) -> None:
    if len(alternatives) > MAX_ALTERNATIVES:
        raise ToolError(f"`{pattern}` has more than {MAX_ALTERNATIVES} alternatives")


def _split_choices(pattern: str) -> Iterable[str]:
    head, choices, tail = _BRACES.split(pattern, maxsplit=1)
    return (head + choice + tail for choice in choices.split(","))


def _list_parts(pattern: str, *, loosely: bool) -> list[list[str]]:
    """List what stands between the slashes; strictly, `a/**` is all below `a` and not `a`."""
    if loosely:
        return [_split_pattern(meaning) for meaning in _list_meanings(pattern)]
    parts = _split_pattern(pattern)
    has_names = parts[-1] == "**" and not pattern.endswith("/") and set(parts) != {"**"}
    return [[*parts[:-1], "*", "**"] if has_names else parts]


def _list_meanings(pattern: str) -> list[str]:
    """List what gits before 2.41 take `a**/b` for: `a*/**/b` and `ab`, from the top."""
    first, *others = _OLD_STARS.split(pattern)
    meanings = [first if not others or first.startswith("/") else f"/{first}"]
    for other in others:
        meanings = [f"{meaning}{stars}{other}" for meaning in meanings for stars in ("*/**/", "")]
        _check_count(meanings, pattern)
    return meanings


def _split_pattern(pattern: str) -> list[str]:
    pattern = re.sub(r"(?<!\\) +\Z", "", pattern)  # as git does
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ToolError(f"`{pattern}` leads out of the folder; leave out `..`, or name a `path`")
    above = [] if "/" in pattern.rstrip("/") else ["**"]
    below = ["**"] if pattern.endswith("/") or not parts else []
    return [*above, *parts, *below]


def _matches_parts(path: Sequence[str], pattern: Sequence[Name | None]) -> bool:
    """Return whether the names of a path match one after the other; None stands for `**`."""
    reached = _with_skips({0}, pattern)
    for name in path:
        skips = {place for place in reached if place < len(pattern) and pattern[place] is None}
        steps = {
            place + 1
            for place in reached - skips
            if place < len(pattern) and (part := pattern[place]) and part.fullmatch(name)
        }
        reached = _with_skips(skips | steps, pattern)
        if not reached:
            return False
    return len(pattern) in reached


def _with_skips(places: set[int], pattern: Sequence[Name | None]) -> set[int]:
    # `**` also matches no folder at all
    reachable = set(places)
    for place, part in enumerate(pattern):
        if part is None and place in reachable:
            reachable.add(place + 1)
    return reachable
