"""Brace, tilde and file name expansion of a word, as in bash."""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

from .words import has_braces, is_pattern, strip_mask

# Most words that one word may expand to
MAX_WORDS = 200
# Most file names that are checked for one word
MAX_NAMES = 5_000
# Most stars or braces in one word
_MAX_SIGNS = 10

# Most characters of a pattern
_MAX_PATTERN_LENGTH = 1_000

_TOKEN = re.compile(r"\\.|[{},]|[^\\{},]+|\\", re.DOTALL)
_RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")
_GLOB_TOKEN = re.compile(r"\\(.)|(\*+)|(\?)|\[([!^]?\]?(?:\[:\w+:\]|[^\]])*)\]|(.)", re.DOTALL)


class ExpansionLimitError(Exception):
    """A word expands to too many words, or its expansion takes too long."""


def expand_braces(word: str) -> list[str]:
    """Expand the braces of a masked word into masked words; raises ExpansionLimitError."""
    if not has_braces(word):
        return [word]
    if word.count("{") > _MAX_SIGNS:
        raise ExpansionLimitError
    words = list(islice(_iter_alternatives(word), MAX_WORDS + 1))
    if len(words) > MAX_WORDS:
        raise ExpansionLimitError
    return words


def expand_glob(word: str, folder: Path) -> list[str]:
    """Return the existing names that a masked pattern matches, as the shell would print them."""
    if word.count("*") + word.count("[") > _MAX_SIGNS or len(word) > _MAX_PATTERN_LENGTH:
        raise ExpansionLimitError
    absolute = word.startswith("/")
    parts = [part for part in word.split("/") if part]
    start = "/" if absolute else ""
    budget = [MAX_NAMES]
    names = list(islice(_match_below(start, parts, folder, budget), MAX_WORDS + 1))
    if len(names) > MAX_WORDS or budget[0] < 0:
        raise ExpansionLimitError
    if word.endswith("/"):
        names = [f"{name}/" for name in names if (folder / name).is_dir()]
    return sorted(names)


def _iter_alternatives(word: str) -> Iterator[str]:
    opened = word.find("{")
    if opened < 0:
        yield word
        return
    for begin, parts, end in _find_brace_groups(word):
        for part in parts:
            for middle in _iter_alternatives(part):
                for rest in _iter_alternatives(word[end:]):
                    yield word[:begin] + middle + rest
        return
    yield word


def _find_brace_groups(word: str) -> Iterator[tuple[int, list[str], int]]:
    """Yield the brace groups that expand: start, alternatives, end."""
    tokens = [(match.start(), match[0]) for match in _TOKEN.finditer(word)]
    for first, (begin, sign) in enumerate(tokens):
        if sign != "{" or word[begin - 1 : begin] == "$":
            continue
        depth, cuts = 0, [begin]
        for place, token in tokens[first:]:
            depth += (token == "{") - (token == "}")
            if token == "," and depth == 1:
                cuts.append(place)
            if depth == 0:
                cuts.append(place)
                parts = [word[a + 1 : b] for a, b in zip(cuts, cuts[1:], strict=False)]
                parts = parts if len(parts) > 1 else _expand_range(parts[0])
                if parts:
                    yield begin, parts, place + 1
                break


def _expand_range(inside: str) -> list[str]:
    match = _RANGE.fullmatch(inside)
    if not match:
        return []
    first, last, step = match.groups()
    numbers = first.lstrip("-").isdigit() and last.lstrip("-").isdigit()
    if not numbers and (len(first) > 1 or len(last) > 1 or first.isdigit() or last.isdigit()):
        return []
    low, high = (int(first), int(last)) if numbers else (ord(first), ord(last))
    stride = (abs(int(step or 1)) or 1) * (1 if low <= high else -1)
    values = range(low, high + (1 if stride > 0 else -1), stride)
    if len(values) > MAX_WORDS:
        raise ExpansionLimitError
    return [str(value) if numbers else chr(value) for value in values]


def _match_below(base: str, parts: list[str], folder: Path, budget: list[int]) -> Iterator[str]:
    if not parts:
        yield base
        return
    first, *rest = parts
    if not is_pattern(first):
        named = base + strip_mask(first)
        if rest or os.path.lexists(folder / named):
            yield from _match_below(named + "/" if rest else named, rest, folder, budget)
        return
    pattern = _compile_glob(first)
    for name, is_folder in _list_names(folder / base, first.startswith("."), budget):
        if pattern.fullmatch(name) and (is_folder or not rest):
            yield from _match_below(base + name + ("/" if rest else ""), rest, folder, budget)


def _list_names(folder: Path, hidden: bool, budget: list[int]) -> Iterator[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                budget[0] -= 1
                if budget[0] < 0:
                    return
                if hidden or not entry.name.startswith("."):
                    yield entry.name, entry.is_dir()
    except OSError:
        return


@lru_cache(maxsize=200)
def _compile_glob(pattern: str) -> re.Pattern[str]:
    """Compile a masked part of a path; an unknown character class matches any character."""
    expression = ""
    for match in _GLOB_TOKEN.finditer(pattern):
        escaped, stars, mark, inside, plain = match.groups()
        if stars:
            expression += ".*?" if expression.endswith(".*") else ".*"
        elif mark or inside is not None:
            expression += "." if mark else _translate_class(inside)
        else:
            expression += re.escape(escaped or plain)
    return re.compile(expression, re.DOTALL)


def _translate_class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    letters = strip_mask(inside[negated:])
    if not letters or "[:" in letters or "--" in letters:
        return "."
    body = re.sub(r"[\\\]\[^&|~]", r"\\\g<0>", letters)
    try:
        re.compile(f"[{body}]")
    except re.error:
        return "."
    return f"[{'^' if negated else ''}{body}]"
