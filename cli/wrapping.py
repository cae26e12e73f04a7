"""Text broken into rows of a screen: between words, and between Chinese characters as well."""

from collections.abc import Iterator

from rich.text import Text

from .table import width_of

NEVER_FIRST = set("，。、；：？！）》」』】〉〕”’…—～·,.;:?!)]}%")
"""Characters that stay with the one before them."""
NEVER_LAST = set("（《「『【〈〔“‘([{$")
"""Characters that stay with the one behind them."""
TAB = 4


def wrapped(text: Text, width: int) -> Iterator[Text]:
    """Rows of at most `width` cells; spaces at a break are dropped, a long word is cut."""
    for line in text.split("\n", allow_blank=True):
        line.expand_tabs(TAB)
        for row in line.divide(_breaks(line.plain, width)):
            row.rstrip()
            yield row


def cut(text: Text, width: int) -> Iterator[Text]:
    """Rows of at most `width` cells that together are the line as it is, as code wants it."""
    text.expand_tabs(TAB)
    yield from text.divide(_breaks(text.plain, width, anywhere=True))


def _breaks(line: str, width: int, *, anywhere: bool = False) -> list[int]:
    """Where rows begin, but for the first."""
    width = max(width, 2)  # of one character at least
    breaks: list[int] = []
    begin = place = cells = 0  # of the row; where it could end; how wide it is
    for index, char in enumerate(line):
        size = width_of(char)
        if cells + size > width and (anywhere or char != " "):
            begin = place if place > begin else index
            breaks.append(begin)
            cells = width_of(line[begin:index])
        cells += size
        if not anywhere and _may_break(char, line[index + 1 : index + 2]):
            place = index + 1
    return breaks


def _may_break(char: str, following: str) -> bool:
    if char == " " or not following:
        return following != " "
    wide = width_of(char) == 2 or width_of(following) == 2
    return wide and following not in NEVER_FIRST and char not in NEVER_LAST
