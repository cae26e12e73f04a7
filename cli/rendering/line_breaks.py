"""Line breaks: between words, and between Chinese characters as well."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from .text_width import measure_width

if TYPE_CHECKING:
    from rich.text import Text

TAB = 4
# An address of the web (RFC 3986), without what a sentence adds to it; its host may be `[::1]`
_REST = r"(?:(?![<>\"'`|\\^{}\[\]])[!-~])*(?![.,;:!?)*_<>\"'`|\\^{}\[\]])[!-~]"
ADDRESS = re.compile(rf"https?://(?:\[[\da-fA-F:.]+\](?:{_REST})?|{_REST})")

# Characters that stay with the one before them
NEVER_FIRST = set("，。、；：？！）》」』】〉〕”’…—～·,.;:?!)]}%")
# Characters that stay with the one after them
NEVER_LAST = set("（《「『【〈〔“‘([{$")


def split_rows(text: str, width: int) -> list[str]:
    """Return rows of at most `width` cells; drop spaces at a break, cut a long word."""
    return [row for line in text.split("\n") for row in _split_line(line.expandtabs(TAB), width)]


def fill_rows(parts: Iterable[str], separator: str, width: int) -> list[str]:
    """Return parts in rows of at most `width` cells; a part is not broken if it fits a row."""
    rows: list[str] = []
    for part in parts:
        longer = f"{rows[-1]}{separator}{part}" if rows else part
        if rows and measure_width(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(part)
    return [piece for row in rows for piece in split_rows(row, width)]


def _split_line(line: str, width: int) -> list[str]:
    places = [0, *find_breaks(line, width), len(line)]
    return [line[begin:end].rstrip() for begin, end in pairwise(places)]


def find_breaks(
    line: str, width: int, *, anywhere: bool = False, keeps_addresses: bool = False
) -> list[int]:
    """Return where rows of at most `width` cells begin, except the first.

    With `keeps_addresses` an address stays whole, if need be on a row that is too long.
    """
    width = max(width, 2)  # room for at least one character
    matches = ADDRESS.finditer(line) if keeps_addresses else ()
    inside = {index for match in matches for index in range(match.start() + 1, match.end())}
    breaks: list[int] = []
    begin = place = cells = 0  # start of the row; its last possible break; its width
    for index, char in enumerate(line):
        size = measure_width(char)
        while cells + size > width and (anywhere or char != " "):
            word_end = index if anywhere else _find_word_end(line, index)
            if place <= begin and word_end in inside:
                break
            cut = word_end if word_end > begin else index
            cut = cut if anywhere else _find_path_part(line, begin, cut)
            begin = place if place > begin else cut
            breaks.append(begin)
            cells = measure_width(line[begin:index])
        cells += size
        if index + 1 in inside:
            continue
        if not anywhere and _may_break(char, line[index + 1 : index + 2]):
            place = index + 1
    return breaks


def _find_path_part(line: str, begin: int, end: int) -> int:
    """Return where a part of a path begins that has no room any more; else the end of the row."""
    part = line.rfind("/", begin, end - 1) + 1
    return part if part > begin + (end - begin) // 3 else end


def _find_word_end(line: str, index: int) -> int:
    """Return where the word ends that stays with the closing punctuation at this place."""
    end = index
    while end > 0 and line[end] in NEVER_FIRST:
        end -= 1
    return end


def _may_break(char: str, following: str) -> bool:
    if char == " " or not following:
        return following != " "
    wide = measure_width(char) == 2 or measure_width(following) == 2
    return wide and following not in NEVER_FIRST and char not in NEVER_LAST


def wrap_text(text: "Text", width: int, *, keeps_addresses: bool = False) -> "Iterator[Text]":
    """Yield rows of at most `width` cells; drop spaces at a break, cut a long word."""
    for line in text.split("\n", allow_blank=True):
        line.expand_tabs(TAB)
        for row in line.divide(find_breaks(line.plain, width, keeps_addresses=keeps_addresses)):
            row.rstrip()
            yield row


def link_addresses(text: "Text") -> "Text":
    """Underline each address of the web, and make it a link to itself (OSC 8)."""
    from rich.style import Style

    for match in ADDRESS.finditer(text.plain):
        text.stylize(Style(underline=True, link=match[0]), *match.span())
    return text


def cut_text(text: "Text", width: int) -> "Iterator[Text]":
    """Yield rows of at most `width` cells that keep every character of the line, as code needs."""
    text.expand_tabs(TAB)
    yield from text.divide(find_breaks(text.plain, width, anywhere=True))
