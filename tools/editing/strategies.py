"""The ways to find what a request means, each a function of the file and the request.

A strategy gives all places that it finds; an empty list hands on to the next.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .matching.blank_lines import with_empty_lines
from .matching.boundaries import cuts_indentation, splits_number, splits_word
from .matching.document import Source, places_of, rows_of
from .matching.edit_request import Match, Request
from .matching.normalization import (
    Key,
    collapsed,
    columns,
    folded,
    indent_of,
    one_to_one,
    right_trimmed,
    trimmed,
)
from .rewriting.line_merge import merged
from .rewriting.typography import learn_spelling

LONGEST_PART = 1_000
FEWEST_LETTERS = 3
"""Of a text that is looked for inside a line."""


@dataclass(frozen=True)
class Part:
    """A part of the file's text, and what shall stand there."""

    start: int
    end: int
    new: str


Place = Part | Match
Strategy = Callable[[Source, Request], Sequence[Place]]


def simple(source: Source, request: Request) -> list[Part]:
    """The text as it is, neither within words nor behind a part of an indentation.

    Overlapping places count.
    """
    found = places_of(source.text, request.old)
    if request.whole_lines:
        found = [place for place in found if not place or source.text[place - 1] == "\n"]
    return parts(request, [place for place in found if not _is_cut(source, request, place)])


def every(source: Source, request: Request) -> Sequence[Place]:
    """All places apart from each other: as it is, else whole lines but for blanks at their ends.

    What is in words counts too, but not what is in numbers.
    """
    size, text = len(request.old), source.text
    found = places_of(text, request.old, apart=True)
    found = [place for place in found if not splits_number(text, place, place + size)]
    return parts(request, found) or rows(source, request, trimmed, apart=True)


def parts(request: Request, places: Iterable[int]) -> list[Part]:
    """The places at which the old text stands as it is."""
    size = len(request.old)
    return [Part(place, place + size, request.new) for place in places]


def line_trimmed(source: Source, request: Request) -> list[Match]:
    """Whole lines but for blanks at their ends; first without touching their depth."""
    return rows(source, request, right_trimmed) or rows(source, request, trimmed)


def indentation_flexible(source: Source, matches: Sequence[Match]) -> list[Match]:
    """Of several places those that are indented in themselves as the request is."""
    for same in (_one_shift, _one_to_one):
        found = [match for match in matches if same(_indents(source, match))]
        if found:
            return found
    return []


def whitespace_normalized(source: Source, request: Request) -> list[Match]:
    """Whole lines with runs of blanks as one; then with plain quotes and dashes too."""
    return rows(source, request, collapsed) or rows(source, request, folded)


def trimmed_boundary(source: Source, request: Request) -> list[Match]:
    """Whole lines without the empty ones around them, which the file need not have."""
    old = request.old_lines
    filled = [place for place, line in enumerate(old) if line.strip()]
    if not filled or len(old) == filled[-1] - filled[0] + 1:
        return []
    head, size = filled[0], filled[-1] - filled[0] + 1
    core = Request("".join(f"{line}\n" for line in old[head : head + size]), "")
    found = line_trimmed(source, core) or whitespace_normalized(source, core)
    around: tuple[list[None], list[None]] = ([None] * head, [None] * (len(old) - head - size))
    return [
        replace(
            match,
            old=old,
            new=request.new_lines,
            pairs=[*around[0], *match.pairs, *around[1]],
        )
        for match in found
    ]


def without_empty_lines(source: Source, request: Request) -> list[Match]:
    """Whole lines, with more or fewer empty ones between them than in the request."""
    old = request.old_lines
    places = [place for place, line in enumerate(old) if line.strip()]
    if len(places) < 2:
        return []
    keys, matches = source.keys(folded), list[Match]()
    wanted = [folded(old[place]) for place in places]
    for start in rows_of([keys[number] for number in source.filled], wanted):
        real = source.filled[start : start + len(places)]
        pairs = with_empty_lines(old, dict(zip(places, real, strict=True)), source)
        matches.append(Match(old, request.new_lines, real[0], real[-1] + 1, pairs))
    return matches


def inside_a_line(source: Source, request: Request) -> list[Part]:
    """A part of one line that begins and ends with whole words, but for blanks and typography."""
    old, new = request.old.strip(), _as_trimmed(request)
    if "\n" in old or "\n" in new or not is_telling(old) or len(old) > LONGEST_PART:
        return []
    words = one_to_one(old).split()
    pattern = r"[^\S\n]++".join(map(re.escape, words))
    before = r"(?<!\w)" if re.match(r"\w", words[0]) else ""
    after = r"(?!\w)" if re.search(r"\w$", words[-1]) else ""
    text, parts = one_to_one(source.text), list[Part]()
    for found in re.finditer(f"(?={before}({pattern}){after})", text):
        real = source.text[found.start(1) : found.end(1)]
        spelled = learn_spelling([(old, real)]).as_in_file(merged(old, new, real) or new)
        parts.append(Part(found.start(1), found.end(1), spelled))
    return parts


def rows(source: Source, request: Request, key: Key, *, apart: bool = False) -> list[Match]:
    """Whole lines with the same keys."""
    old, new = request.old_lines, request.new_lines
    wanted = list(map(key, old))
    if not any(wanted):
        return []
    starts = rows_of(source.keys(key), wanted, apart=apart)
    return [
        Match(old, new, start, start + len(old), range(start, start + len(old))) for start in starts
    ]


def is_telling(text: str) -> bool:
    """Whether a text has letters enough to be looked for inside a line."""
    return len(re.findall(r"\w", text)) >= FEWEST_LETTERS


def _is_cut(source: Source, request: Request, place: int) -> bool:
    text, old = source.text, request.old
    if splits_word(text, place, place + len(old)):
        return True
    return bool(old.split("\n", 1)[0].strip()) and cuts_indentation(text, place)


def _as_trimmed(request: Request) -> str:
    """The new text without the blanks at those ends at which the old one has some."""
    old, new = request.old, request.new
    new = new.lstrip() if old != old.lstrip() else new
    return new.rstrip() if old != old.rstrip() else new


def _indents(source: Source, match: Match) -> list[tuple[str, str]]:
    """The indentation of each line of the request, and of the file's line it stands for."""
    return [
        (indent_of(line), indent_of(source.lines[number]))
        for line, number in zip(match.old, match.pairs, strict=True)
        if number is not None and line.strip()
    ]


def _one_shift(indents: Sequence[tuple[str, str]]) -> bool:
    """Whether all lines are moved by the same blanks."""
    asked, real = zip(*indents, strict=True)
    less, more = min(asked, key=len), min(real, key=len)
    return all(a.removeprefix(less) == b.removeprefix(more) for a, b in indents)


def _one_to_one(indents: Sequence[tuple[str, str]]) -> bool:
    """Whether a depth of the request is always one of the file, the deeper the deeper."""
    depths = sorted({(columns(asked), columns(real)) for asked, real in indents})
    asked, real = [a for a, _ in depths], [b for _, b in depths]
    return len(set(asked)) == len(set(real)) == len(depths) and real == sorted(real)
