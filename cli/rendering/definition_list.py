"""Names with what each is: beside each other, or below where the terminal is too narrow."""

import shutil
import sys
from collections.abc import Iterator, Sequence

from .line_breaks import rows
from .table import GAP, width_of

INDENT = 4


def room() -> int:
    """Columns of the terminal; a pipe takes lines of any length."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


def listed(named: Sequence[tuple[str, str]], columns: int = 0) -> str:
    """The lines for so many columns, by default as many as there is room for."""
    columns = columns or room()
    names = max(width_of(name) for name, _ in named) + len(GAP)
    indent = names if columns >= 2 * names else INDENT
    return "\n".join(line for one in named for line in hung(*one, indent, columns))


def hung(name: str, said: str, indent: int, columns: int) -> Iterator[str]:
    """The lines of one name: what is said of it begins in column `indent`, in each of them."""
    below = rows(said, columns - indent)
    if width_of(name) < indent:
        gap = " " * (indent - width_of(name))
        yield f"{name}{gap}{below.pop(0)}".rstrip()
    else:
        yield name
    yield from (f"{' ' * indent}{line}" for line in below)
