"""A table as rows of a screen: columns side by side, or below each other where it is narrow."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal

from rich.text import Text

from ..line_breaks import wrap_text
from ..table import GAP, measure_width

Align = Literal["left", "center", "right"]
HEADER, RULE = "bold", "dim"
LEAST = 8
"""Cells that a column needs, unless it has less to say."""


def render_table(
    header: Sequence[Text], body: Sequence[Sequence[Text]], aligns: Sequence[Align], width: int
) -> Iterator[Text]:
    """The table in at most `width` cells."""
    for cell in header:
        cell.stylize(HEADER)
    wanted = [
        max(_measure_text(cell) for cell in column) for column in zip(header, *body, strict=True)
    ]
    widths = _fit_widths(wanted, width - len(GAP) * (len(wanted) - 1))
    if any(got < min(LEAST, want) for got, want in zip(widths, wanted, strict=True)):
        yield from _as_list(header, body, width)
    else:
        yield from _as_columns(header, body, aligns, widths)


def _fit_widths(wanted: Sequence[int], room: int) -> list[int]:
    """The widths of the columns: who has most to say gives way first."""
    widths = [min(want, max(room, 1)) for want in wanted]
    while sum(widths) > room and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    return widths


def _as_columns(
    header: Sequence[Text],
    body: Sequence[Sequence[Text]],
    aligns: Sequence[Align],
    widths: Sequence[int],
) -> Iterator[Text]:
    yield from _render_row(header, aligns, widths)
    yield Text(GAP.join("-" * width for width in widths), style=RULE)
    rows = [list(_render_row(cells, aligns, widths)) for cells in body]
    apart = any(len(row) > 1 for row in rows)  # else nobody sees where a row ends
    for number, row in enumerate(rows):
        if number and apart:
            yield Text()
        yield from row


def _render_row(
    cells: Sequence[Text], aligns: Sequence[Align], widths: Sequence[int]
) -> Iterator[Text]:
    columns = [wrap_text(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for parts in zip_longest(*columns, fillvalue=Text()):
        padded = map(_pad_cell, parts, aligns, widths)
        row = Text(GAP).join(padded)
        row.rstrip()
        yield row


def _pad_cell(text: Text, align: Align, width: int) -> Text:
    room = max(width - _measure_text(text), 0)
    left = {"left": 0, "center": room // 2, "right": room}[align]
    return Text.assemble(" " * left, text, " " * (room - left))


def _as_list(header: Sequence[Text], body: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    for number, cells in enumerate(body):
        if number:
            yield Text()
        for name, cell in zip(header, cells, strict=True):
            yield from wrap_text(Text.assemble(name, ": ", cell), width)


def _measure_text(text: Text) -> int:
    return measure_width(text.plain)
