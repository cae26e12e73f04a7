"""The width of a text on a screen, in cells (pure)."""

import unicodedata
from itertools import accumulate


def measure_width(text: str) -> int:
    """Return the screen cells of the text: a Chinese character takes two, an accent none."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def shorten_text(text: str, cells: int) -> str:
    """Return the text; cut a long one to this many cells, with an ellipsis at its end."""
    if measure_width(text) <= cells:
        return text
    widths = accumulate(map(measure_width, text))
    return text[: sum(width < cells for width in widths)].rstrip() + "…"
