"""Strategies to find the old text of a request in a file.

A strategy returns all places that it finds; after an empty list the next one is tried.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .matching.alignment import with_empty_lines
from .matching.boundaries import is_indentation_cut, is_number_split, is_word_split
from .matching.document import TextDocument, find_places, find_rows
from .matching.edit_request import EditRequest, LineMatch
from .matching.normalization import (
    Key,
    collapse_blanks,
    indent_of,
    measure_indent,
    normalize_line,
    simplify_in_place,
    strip_line,
    strip_line_end,
)
from .rewriting.line_merge import merge_line
from .rewriting.typography import infer_spelling

MAX_PART_LENGTH = 1_000
# fewest letters of a text that is searched inside a line
MIN_LETTERS = 3


@dataclass(frozen=True)
class TextMatch:
    """A part of the file's text, and its replacement."""

    start: int
    end: int
    new: str


AnyMatch = TextMatch | LineMatch
Strategy = Callable[[TextDocument, EditRequest], Sequence[AnyMatch]]


def match_simple(source: TextDocument, request: EditRequest) -> list[TextMatch]:
    """Match the text as it is, but not within a word or an indentation.

    Overlapping places count.
    """
    places = find_places(source.text, request.old)
    if request.whole_lines:
        places = [place for place in places if not place or source.text[place - 1] == "\n"]
    return to_text_matches(
        request, [place for place in places if not _is_cut(source, request, place)]
    )


def match_everywhere(source: TextDocument, request: EditRequest) -> Sequence[AnyMatch]:
    """Match all places that do not overlap: exact ones, else whole lines without outer blanks.

    A place within a word counts, one within a number does not.
    """
    size, text = len(request.old), source.text
    places = find_places(text, request.old, apart=True)
    places = [place for place in places if not is_number_split(text, place, place + size)]
    return to_text_matches(request, places) or match_lines(source, request, strip_line, apart=True)


def to_text_matches(request: EditRequest, places: Iterable[int]) -> list[TextMatch]:
    """Build the matches of the old text at these places."""
    size = len(request.old)
    return [TextMatch(place, place + size, request.new) for place in places]


def match_line_trimmed(source: TextDocument, request: EditRequest) -> list[LineMatch]:
    """Match whole lines without blanks at their ends; first with their indentation."""
    return match_lines(source, request, strip_line_end) or match_lines(source, request, strip_line)


def filter_by_indentation(source: TextDocument, matches: Sequence[LineMatch]) -> list[LineMatch]:
    """Keep the places whose lines are indented relative to each other as the request is."""
    for same in (_has_one_shift, _is_one_to_one):
        aligned_matches = [match for match in matches if same(_collect_indents(source, match))]
        if aligned_matches:
            return aligned_matches
    return []


def match_whitespace_normalized(source: TextDocument, request: EditRequest) -> list[LineMatch]:
    """Match whole lines with runs of blanks as one; then with plain quotes and dashes, too."""
    return match_lines(source, request, collapse_blanks) or match_lines(
        source, request, normalize_line
    )


def match_trimmed_boundary(source: TextDocument, request: EditRequest) -> list[LineMatch]:
    """Match whole lines without the empty lines around them."""
    old = request.old_lines
    filled = [place for place, line in enumerate(old) if line.strip()]
    if not filled or len(old) == filled[-1] - filled[0] + 1:
        return []
    head, size = filled[0], filled[-1] - filled[0] + 1
    core = EditRequest("".join(f"{line}\n" for line in old[head : head + size]), "")
    matches = match_line_trimmed(source, core) or match_whitespace_normalized(source, core)
    around: tuple[list[None], list[None]] = ([None] * head, [None] * (len(old) - head - size))
    return [
        replace(
            match,
            old=old,
            new=request.new_lines,
            pairs=[*around[0], *match.pairs, *around[1]],
        )
        for match in matches
    ]


def match_without_empty_lines(source: TextDocument, request: EditRequest) -> list[LineMatch]:
    """Match whole lines with more or fewer empty lines between them."""
    old = request.old_lines
    places = [place for place, line in enumerate(old) if line.strip()]
    if len(places) < 2:
        return []
    keys, matches = source.normalize_lines(normalize_line), list[LineMatch]()
    old_keys = [normalize_line(old[place]) for place in places]
    for start in find_rows([keys[number] for number in source.filled_lines], old_keys):
        real = source.filled_lines[start : start + len(places)]
        pairs = with_empty_lines(old, dict(zip(places, real, strict=True)), source)
        matches.append(LineMatch(old, request.new_lines, real[0], real[-1] + 1, pairs))
    return matches


def match_inside_line(source: TextDocument, request: EditRequest) -> list[TextMatch]:
    """Match a part of one line, in whole words, with other blanks and typography."""
    if request.whole_lines or request.old.endswith("\n"):
        return []  # a whole line is no part of a longer one
    old, new = request.old.strip(), _as_trimmed(request)
    if "\n" in old or "\n" in new or not has_enough_letters(old) or len(old) > MAX_PART_LENGTH:
        return []
    words = simplify_in_place(old).split()
    pattern = r"[^\S\n]++".join(map(re.escape, words))
    before = r"(?<!\w)" if re.match(r"\w", words[0]) else ""
    after = r"(?!\w)" if re.search(r"\w$", words[-1]) else ""
    text, parts = simplify_in_place(source.text), list[TextMatch]()
    for match in re.finditer(f"(?={before}({pattern}){after})", text):
        real = source.text[match.start(1) : match.end(1)]
        spelled = infer_spelling([(old, real)]).as_in_file(merge_line(old, new, real) or new)
        parts.append(TextMatch(match.start(1), match.end(1), spelled))
    return parts


def match_lines(
    source: TextDocument, request: EditRequest, key: Key, *, apart: bool = False
) -> list[LineMatch]:
    """Match whole lines with the same keys."""
    old, new = request.old_lines, request.new_lines
    old_keys = list(map(key, old))
    if not any(old_keys):
        return []
    starts = find_rows(source.normalize_lines(key), old_keys, apart=apart)
    return [
        LineMatch(old, new, start, start + len(old), range(start, start + len(old)))
        for start in starts
    ]


def has_enough_letters(text: str) -> bool:
    """Return whether a text has enough letters to be searched inside a line."""
    return len(re.findall(r"\w", text)) >= MIN_LETTERS


def _is_cut(source: TextDocument, request: EditRequest, place: int) -> bool:
    text, old = source.text, request.old
    if is_word_split(text, place, place + len(old)):
        return True
    return bool(old.split("\n", 1)[0].strip()) and is_indentation_cut(text, place)


def _as_trimmed(request: EditRequest) -> str:
    """Strip the new text at the ends at which the old one has blanks."""
    old, new = request.old, request.new
    new = new.lstrip() if old != old.lstrip() else new
    return new.rstrip() if old != old.rstrip() else new


def _collect_indents(source: TextDocument, match: LineMatch) -> list[tuple[str, str]]:
    """Collect the indentation of each line of the request and of its line in the file."""
    return [
        (indent_of(line), indent_of(source.lines[number]))
        for line, number in zip(match.old, match.pairs, strict=True)
        if number is not None and line.strip()
    ]


def _has_one_shift(indents: Sequence[tuple[str, str]]) -> bool:
    """Return whether all lines are shifted by the same blanks."""
    asked, real = zip(*indents, strict=True)
    less, more = min(asked, key=len), min(real, key=len)
    return all(a.removeprefix(less) == b.removeprefix(more) for a, b in indents)


def _is_one_to_one(indents: Sequence[tuple[str, str]]) -> bool:
    """Return whether each depth of the request is one depth of the file, in the same order."""
    depths = sorted({(measure_indent(asked), measure_indent(real)) for asked, real in indents})
    asked, real = [a for a, _ in depths], [b for _, b in depths]
    return len(set(asked)) == len(set(real)) == len(depths) and real == sorted(real)
