"""Names with what each is: beside each other, or below where the terminal is too narrow."""

import shutil
import sys
from collections.abc import Iterator, Sequence

from .line_breaks import split_rows
from .table import GAP, measure_width

INDENT = 4


def get_terminal_width() -> int:
    """Columns of the terminal; a pipe takes lines of any length."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


def format_definition_list(named: Sequence[tuple[str, str]], columns: int = 0) -> str:
    """The lines for so many columns, by default as many as there is room for."""
    columns = columns or get_terminal_width()
    names = max(measure_width(name) for name, _ in named) + len(GAP)
    indent = names if columns >= 2 * names else INDENT
    return "\n".join(line for one in named for line in format_definition(*one, indent, columns))


def format_definition(name: str, definition: str, indent: int, columns: int) -> Iterator[str]:
    """The lines of one name: what is said of it begins in column `indent`, in each of them."""
    below = split_rows(definition, columns - indent)
    if measure_width(name) < indent:
        gap = " " * (indent - measure_width(name))
        yield f"{name}{gap}{below.pop(0)}".rstrip()
    else:
        yield name
    yield from (f"{' ' * indent}{line}" for line in below)
