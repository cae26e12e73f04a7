"""Names with their definitions: side by side, or one below the other on a narrow terminal."""

import shutil
import sys
from collections.abc import Iterator, Sequence

from .line_breaks import split_rows
from .table import GAP
from .text_width import measure_width

INDENT = 4


def get_terminal_width() -> int:
    """Return the columns of the terminal; a pipe takes lines of any length."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


def format_definition_list(named: Sequence[tuple[str, str]], columns: int = 0) -> str:
    """Return the lines for this many columns, by default the terminal's."""
    columns = columns or get_terminal_width()
    names = max(measure_width(name) for name, _ in named) + len(GAP)
    indent = names if columns >= 2 * names else INDENT
    return "\n".join(line for row in named for line in format_definition(*row, indent, columns))


def format_definition(name: str, definition: str, indent: int, columns: int) -> Iterator[str]:
    """Yield the lines of one name; the definition begins in column `indent` in each of them."""
    below = split_rows(definition, columns - indent)
    if measure_width(name) < indent:
        gap = " " * (indent - measure_width(name))
        yield f"{name}{gap}{below.pop(0)}".rstrip()
    else:
        yield name
    yield from (f"{' ' * indent}{line}" for line in below)
