"""Text broken into rows of a screen: between words, and between Chinese characters as well."""

from collections.abc import Iterator

from rich.text import Text

from .line_breaks import TAB, breaks


def wrapped(text: Text, width: int) -> Iterator[Text]:
    """Rows of at most `width` cells; spaces at a break are dropped, a long word is cut."""
    for line in text.split("\n", allow_blank=True):
        line.expand_tabs(TAB)
        for row in line.divide(breaks(line.plain, width)):
            row.rstrip()
            yield row


def cut(text: Text, width: int) -> Iterator[Text]:
    """Rows of at most `width` cells that together are the line as it is, as code wants it."""
    text.expand_tabs(TAB)
    yield from text.divide(breaks(text.plain, width, anywhere=True))
