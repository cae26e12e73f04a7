"""Descriptions of how a request differs from the file."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from .document import TextDocument
from .edit_request import LineMatch
from .normalization import collapse_blanks, indent_of, normalize_line


def describe_adaptations(source: TextDocument, matches: Iterable[LineMatch]) -> tuple[str, ...]:
    """Describe how the matched lines of the file differ from the request."""
    return tuple(
        dict.fromkeys(
            adaptation for match in matches for adaptation in _find_adaptations(source, match)
        )
    )


def _find_adaptations(source: TextDocument, match: LineMatch) -> Iterator[str]:
    for asked, number in zip(match.old, match.pairs, strict=True):
        if number is None:
            yield "a line that is not in the file" if asked.strip() else "empty lines"
        elif asked != source.lines[number]:
            yield from _compare_line(asked, source.lines[number], number)
    numbers = [number for number in match.pairs if number is not None]
    for above, below in pairwise(numbers):
        for number in range(above + 1, below):
            blank = not source.lines[number].strip()
            yield "empty lines" if blank else f"line {number + 1}, which was left out"


def _compare_line(asked: str, real: str, number: int) -> Iterator[str]:
    if not asked.strip() and not real.strip():
        yield "blanks at the ends of lines"
        return
    if indent_of(asked) != indent_of(real):
        yield "indentation"
    if asked.strip() == real.strip():
        if asked.lstrip() != real.lstrip():
            yield "blanks at the ends of lines"
    elif collapse_blanks(asked) == collapse_blanks(real):
        yield "blanks within lines"
    elif normalize_line(asked) == normalize_line(real):
        yield "quotes, dashes or odd blanks"
    else:
        yield f"line {number + 1}, which is otherwise in the file"
