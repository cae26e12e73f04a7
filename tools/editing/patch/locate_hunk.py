"""Where the lines of a hunk stand in a file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...result import ToolRefusal
from ..matching import edit_errors
from ..matching.document import Source, rows_of
from ..matching.normalization import Key, columns, folded, indent_of, right_trimmed, trimmed

FEWEST_LEFT = 3
"""Old lines that must fit where an outer one of the context does not."""


@dataclass(frozen=True)
class Placed:
    """Lines of a hunk with their signs, and the line of the file, from 0, where they begin."""

    lines: Sequence[str]
    start: int
    strategy: str
    adapted: tuple[str, ...] = ()


def place_hunk(
    source: Source,
    lines: Sequence[str],
    line: int | None,
    at_end: bool,
    context: Sequence[str],
) -> Placed:
    """The one place of the hunk; raises ToolRefusal when it has none or several.

    `line`, from 1, decides between several only when one of them begins just there.
    """
    for within in _narrowed(source, context):
        for name, key in LEVELS:
            starts = _starts(source, _old(lines), key, within)
            if starts:
                return Placed(lines, _one(starts, len(_old(lines)), source, line, at_end), name)
        places = _without_an_outer_line(source, lines, within)
        if len(places) == 1:
            return places[0]
    raise edit_errors.hunk_not_found(source, _old(lines), _new(lines), context)


def _as_it_is(line: str) -> str:
    return line


LEVELS: Sequence[tuple[str, Key]] = (
    ("simple", _as_it_is),
    ("line_trimmed", right_trimmed),
    ("line_trimmed", trimmed),
    ("whitespace_normalized", folded),
)


def _old(lines: Sequence[str]) -> list[str]:
    return [line[1:] for line in lines if line[:1] != "+"]


def _new(lines: Sequence[str]) -> list[str]:
    return [line[1:] for line in lines if line[:1] != "-"]


def _starts(source: Source, old: Sequence[str], key: Key, within: range | set[int]) -> list[int]:
    if key is not _as_it_is and not any(line.strip() for line in old):
        return []
    found = rows_of(source.keys(key), list(map(key, old)))
    return [start for start in found if start in within]


def _one(starts: Sequence[int], size: int, source: Source, line: int | None, at_end: bool) -> int:
    if at_end and starts[-1] + size == len(source.lines):
        return starts[-1]
    if len(starts) > 1 and line is not None and line - 1 in starts:
        return line - 1
    if len(starts) > 1:
        raise ToolRefusal(edit_errors.hunk_ambiguous([start + 1 for start in starts]))
    return starts[0]


def _without_an_outer_line(
    source: Source, lines: Sequence[str], within: range | set[int]
) -> list[Placed]:
    """Places where the first or the last line of the context is another one in the file."""
    shorter = [(lines[1:], lines[0]), (lines[:-1], lines[-1])]
    places = list[Placed]()
    for rest, outer in shorter:
        old = _old(rest)
        if outer[:1] in ("+", "-") or len(old) < FEWEST_LEFT:
            continue
        for _, key in LEVELS:
            starts = _starts(source, old, key, within)
            adapted = (f"the line `{outer[1:].strip()}` of the context, which the file has not",)
            places += [Placed(rest, start, "context_aware", adapted) for start in starts]
            if starts:
                break
    return places


def _narrowed(source: Source, context: Sequence[str]) -> Iterator[range | set[int]]:
    """The lines, from 0, at which a hunk below the lines of the context may begin.

    First those that are indented more, up to the next line that is not; then all that follow.
    """
    size = len(source.lines)
    yield _within(source, context, _inside)
    if context:
        yield _within(source, context, lambda source, head: range(head, size))


def _within(
    source: Source, context: Sequence[str], below: Callable[[Source, int], range]
) -> range | set[int]:
    allowed: range | set[int] = range(len(source.lines))
    for text in context:
        keys, wanted = source.keys(folded), folded(text)
        heads = [number for number in allowed if keys[number] == wanted]
        heads = heads or [number for number in allowed if wanted in keys[number]]
        if not heads:
            raise ToolRefusal(edit_errors.NO_CONTEXT.format(text=text))
        allowed = {number for head in heads for number in below(source, head)}
    return allowed


def _inside(source: Source, head: int) -> range:
    depth, end = columns(indent_of(source.lines[head])), head + 1
    while end < len(source.lines):
        line = source.lines[end]
        if line.strip() and line.strip() != "{" and columns(indent_of(line)) <= depth:
            return range(head, end + 1)
        end += 1
    return range(head, end)
