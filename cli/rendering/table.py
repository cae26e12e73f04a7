"""Rows as aligned columns: plain text for a pipe, a Rich table that fits a terminal."""

import shutil
import sys
from collections.abc import Sequence

from .output import echo
from .sanitize import sanitize_line
from .text_width import measure_width

GAP = "  "
# Columns of a terminal
NARROW = 64


def is_narrow(columns: int = NARROW) -> bool:
    """Return whether the terminal has room for few columns only; a pipe has room for all."""
    return sys.stdout.isatty() and shutil.get_terminal_size().columns < columns


def show_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], *, cut: Sequence[str]
) -> None:
    """Print one line for each row on stdout; a narrow terminal shortens the columns in `cut`."""
    rows = [[sanitize_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _show_rich(headers, rows, cut)
    else:
        echo("\n".join(align_columns([headers, *rows])))


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return one line for each row, each column as wide as its widest cell on a screen."""
    widths = [max(map(measure_width, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for row in rows:
        cells = (
            cell + " " * (width - measure_width(cell))
            for cell, width in zip(row, widths, strict=True)
        )
        lines.append(GAP.join(cells).rstrip())
    return lines


def _show_rich(headers: Sequence[str], rows: Sequence[Sequence[str]], cut: Sequence[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, len(GAP), 0, 0))
    for header in headers:
        table.add_column(header, no_wrap=header not in cut, overflow="ellipsis")
    for row in rows:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    Console(highlight=False, markup=False, emoji=False).print(table)
