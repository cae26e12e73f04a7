"""Names with what each is: beside each other, or below where the terminal is too narrow."""

import shutil
from collections.abc import Iterator, Sequence

from rich.text import Text

from ..table import GAP, width_of
from ..wrapping import wrapped

INDENT = 4


def listed(rows: Sequence[tuple[str, str]], columns: int = 0) -> str:
    """The lines for so many columns, by default as many as the terminal has."""
    columns = columns or shutil.get_terminal_size().columns
    names = max(width_of(name) for name, _ in rows) + len(GAP)
    indent = names if columns >= 2 * names else INDENT
    return "\n".join(line for row in rows for line in _lines(*row, indent, columns))


def _lines(name: str, said: str, indent: int, columns: int) -> Iterator[str]:
    below = [row.plain for row in wrapped(Text(said), columns - indent)]
    if width_of(name) < indent:
        gap = " " * (indent - width_of(name))
        yield f"{name}{gap}{below.pop(0)}".rstrip()
    else:
        yield name
    yield from (f"{' ' * indent}{line}" for line in below)
