"""Line endings of a file: removed on reading, restored on writing."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..textedits.text_edits import TextEdit

_ENDING = re.compile("\r?\n")


class Endings(NamedTuple):
    """How the lines of a file end."""

    usual: str = "\n"
    """The most frequent ending: `\\n`, `\\r\\n`, or `\\r` where there is no other."""
    each: tuple[str, ...] = ()
    """Every line's own ending where the file mixes them, else empty."""


def without_endings(raw: str) -> tuple[str, Endings]:
    """Replace every line ending by `\\n`; return the text and its endings."""
    endings = tuple(_ENDING.findall(raw))
    if not endings and "\r" in raw:  # classic Mac OS
        return raw.replace("\r", "\n"), Endings("\r")
    usual = Counter(endings).most_common(1)[0][0] if endings else "\n"
    return raw.replace("\r\n", "\n"), Endings(usual, endings if len(set(endings)) > 1 else ())


def with_endings(old: str, endings: Endings, text: str, pieces: "Sequence[TextEdit] | None") -> str:
    """Give the changed text the endings of the old one; `pieces`, where known, say what changed.

    A line that did not change keeps its ending. A new line gets the ending of the line it replaces,
    or of a neighbour.
    """
    if not endings.each:
        return text if endings.usual == "\n" else text.replace("\n", endings.usual)
    lines = text.split("\n")
    new_endings = _build_endings(old, endings.each, text, pieces)
    return "".join(map("".join, zip(lines, [*new_endings, ""], strict=True)))


def _build_endings(
    old: str, each: Sequence[str], text: str, pieces: "Sequence[TextEdit] | None"
) -> list[str]:
    whole = [(0, len(old), text)]
    endings, done, line = list[str](), 0, 0
    for start, end, new in whole if pieces is None else _to_tuples(pieces):
        kept_count, removed_count = old.count("\n", done, start), old.count("\n", start, end)
        endings += each[line : line + kept_count]
        line += kept_count
        at_line_start = start == 0 or old[start - 1] == "\n"
        lowest = max(line - at_line_start, 0)
        endings += [
            each[min(max(line + place, lowest), len(each) - 1)]
            for place in _map_line_ends(old[start:end], new)
        ]
        line, done = line + removed_count, end
    return [*endings, *each[line:]]


def _to_tuples(pieces: "Sequence[TextEdit]") -> list[tuple[int, int, str]]:
    return [(piece.start, piece.end, piece.new) for piece in pieces]


def _map_line_ends(old: str, new: str) -> list[int]:
    """Map every line end in `new` to the line of `old`, from 0, that it replaces."""
    from ..textedits.unified_diff import diff_lines

    after = new.split("\n")
    places = [
        start + place if start + place < end else end - 1
        for _, start, end, new_start, new_end in diff_lines(old.split("\n"), after)
        for place in range(new_end - new_start)
    ]
    return places[: len(after) - 1]
