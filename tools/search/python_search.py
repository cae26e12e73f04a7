"""Search with regular expressions in Python, where ripgrep is missing or cannot search."""

import math
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..filesystem.file_access import read_bytes
from ..filesystem.text_codec import decode_file, split_lines
from ..result import ToolError
from ..workspace import Workspace

if TYPE_CHECKING:
    import regex

MAX_PATTERN_LENGTH = 2_000
# most repetitions that a pattern's counts multiply to: compiling takes memory for each
MAX_REPEATS = 1_000_000

_COUNTED = re.compile(r"\{(\d*),?(\d*)\}")


@dataclass(frozen=True)
class Hit:
    """A line that matches."""

    path: str
    line: int
    text: str
    column: int
    """Characters before the match."""


@dataclass(frozen=True)
class Search:
    """A pattern, the files to search, and when to stop."""

    workspace: Workspace
    names: Sequence[str]
    """Files, relative to the project, in the order of the hits."""
    pattern: str
    most: int
    """Hits after which to stop."""
    deadline: float
    """On the monotonic clock."""


@dataclass(frozen=True)
class SearchResult:
    """The hits in the order of files and lines."""

    hits: list[Hit]
    complete: bool = True
    """False when time was over, or more was found than could be taken in."""


def search_lines(search: Search) -> SearchResult:
    """Search the files in order; raise ToolError for a wrong pattern."""
    _compile_pattern(search.pattern)
    hits = list[Hit]()
    try:
        for name in search.names:
            for hit in search_text(search, name, _read_text(search.workspace, name)):
                hits.append(hit)
                if len(hits) >= search.most:
                    return SearchResult(hits)
    except TimeoutError:
        return SearchResult(hits, complete=False)
    return SearchResult(hits)


def search_text(search: Search, name: str, text: str) -> Iterator[Hit]:
    """Search one file's text; raise TimeoutError at the deadline."""
    compiled = _compile_pattern(search.pattern)
    for number, line in enumerate(split_lines(text), start=1):
        left = search.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if match := compiled.search(line, timeout=left):
            yield Hit(name, number, line, match.start())


@lru_cache(maxsize=8)
def _compile_pattern(pattern: str) -> "regex.Pattern[str]":
    import regex  # has a timeout; `re` can hang

    counts = [max(1, int(low or 1), int(high or 1)) for low, high in _COUNTED.findall(pattern)]
    if len(pattern) > MAX_PATTERN_LENGTH or math.prod(counts) > MAX_REPEATS:
        raise ToolError("the regular expression is too large; search for less at once")
    try:
        return regex.compile(pattern, regex.V1)
    except regex.error as error:
        raise ToolError(
            f"`{pattern}` is not a valid regular expression: {error}; "
            "write a backslash before a character such as ( [ { * + ? that means itself"
        ) from error


def _read_text(workspace: Workspace, name: str) -> str:
    """Read a file; empty if it is binary or cannot be read."""
    with suppress(ToolError):
        text = decode_file(workspace, name, read_bytes(workspace, workspace.root / name)).text
        return "" if "\0" in text else text
    return ""
