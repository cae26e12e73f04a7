"""Blocks of a terminal: an empty row before each, a bullet where it begins, one left edge."""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.style import Style
from rich.text import Text

from .console import style_sentence
from .line_breaks import wrap_text
from .text_width import measure_width

BULLET = "● "
# What the model says, apart from what it does
SPEECH = Text("◆ ", "cyan")
# What begins a line instead, so that its kind is seen without colours
SIGNS = {
    **{style: "! " for style in ("yellow", "bold yellow")},
    **{style: "✗ " for style in ("red", "bold red")},
    **{style: "✓ " for style in ("green", "bold green")},
    "dim": "· ",
}
EDGE = " " * len(BULLET)
# Columns of the widest head row: what stands at its right must not be far from the text
MAX_HEAD = 100
GAP = 2
# How many tests have failed that did not fail before
_FAILURES = re.compile(
    r"\b[1-9]\d* (?:failed\b(?! \(as before\))|failures?\b|errors?\b)"
    r"|\b[1-9]\d* 个(?:失败(?!（与之前相同）)|错误)"
)
# The kind of a row above its first block
HEADING = "heading"


class BlockPrinter:
    """Prints the blocks of one turn, one below the other."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last_kind = ""
        self._recorded: list[Text] | None = None
        """Rows that are kept instead of being printed."""

    @contextmanager
    def record(self) -> Generator[list[Text]]:
        """Keep the rows of one block instead of printing them."""
        last_kind, self._recorded = self._last_kind, []
        try:
            yield self._recorded
        finally:
            self._last_kind, self._recorded = last_kind, None

    @property
    def width(self) -> int:
        """Columns that a row may take beside the left edge."""
        return max(self._console.width - len(EDGE), 1)

    def open_block(self, kind: str = "") -> None:
        """Print the empty row before a block; lines of one kind, such as notes, stay together."""
        is_below = self._last_kind == HEADING or (kind and kind == self._last_kind)
        if self._recorded is None and not is_below:
            self._console.print()
        self._last_kind = kind

    def print_block(self, rows: Sequence[Text], kind: str = "") -> None:
        """Print the rows of a block that was recorded."""
        self.open_block(kind)
        for row in rows:
            self._print(row)

    def print_heading(self, text: Text) -> None:
        """Print a row that names what follows, which stands below it without an empty row."""
        self.open_block()
        self._print(text)
        self._last_kind = HEADING

    def print_head(
        self, head: Text, right: str = "", *, bullet: str | None = "", kind: str = ""
    ) -> None:
        """Begin a block with one row; `right` stands at its right, `bullet` is a style.

        A head without a bullet, None, brings a sign of its own.
        """
        self.open_block(kind)
        self._print(build_head(head, right, bullet, self._console.width))

    def print_line(self, text: str, style: str, *, kind: str = "") -> None:
        """Begin a block with a text that may take several rows."""
        self.open_block(kind)
        bullet = Text(SIGNS.get(style, BULLET), style=style)
        sentence = style_sentence(self._console, text, style)
        for row in wrap_text(sentence, self.width, keeps_addresses=True):
            self._print(Text.assemble(bullet, row))
            bullet = Text(EDGE)

    def print_rows(self, text: Text) -> None:
        """Print a text inside the block."""
        for row in wrap_text(text, self.width):
            self._print(Text.assemble(EDGE, row))

    def print_row(self, row: Text) -> None:
        """Print a row that fits as it is."""
        self._print(Text.assemble(EDGE, row) if row else row)

    def _print(self, row: Text) -> None:
        self._last_kind = "" if self._last_kind == HEADING else self._last_kind
        if self._recorded is None:
            self._console.print(row)
        else:
            self._recorded.append(row)


def build_head(head: Text, right: str, bullet: str | None, columns: int) -> Text:
    """Return the first row of a block, with what stands at its right; the head is cut to fit."""
    columns = min(columns, MAX_HEAD)
    room = columns - len(EDGE) - (measure_width(right) + GAP if right else 0)
    head = head.copy()
    head.truncate(max(room, 1), overflow="ellipsis")
    sign = SIGNS[bullet] if bullet in ("red", "yellow") else BULLET
    row = head if bullet is None else Text.assemble(Text(sign, style=bullet), head)
    if right:
        pad = columns - measure_width(row.plain) - measure_width(right)
        row.append(" " * max(pad, GAP)).append_text(light_failures(Text(right, "dim")))
    return row


def indent_row(row: Text, width: int) -> Text:
    """Return the row at the left edge; a longer address begins at the border, and wraps there."""
    return Text.assemble(EDGE, row) if row and measure_width(row.plain) <= width else row


def light_failures(text: Text) -> Text:
    """Let the number of failed tests stand out."""
    for match in _FAILURES.finditer(text.plain):
        text.stylize(Style(color="red", bold=True, dim=False), *match.span())
    return text
