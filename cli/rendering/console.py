"""What reaches the terminal: a console, and foreign text made safe for it."""

import sys
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.text import Text

from ...config.security.redaction import redact
from .line_breaks import wrap_text
from .sanitize import sanitize_text

# Cells that a row has for its words, however far to the right it begins
LEAST_ROOM = 20


def open_console(*, stderr: bool = True) -> Console:
    """A console that neither guesses styles nor wraps; `NO_COLOR` and pipes are plain."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def style_text(text: str, style: str) -> Text:
    """Foreign text in one style, no secret in it."""
    return Text(sanitize_text(redact(text)), style=style)


def show_line(console: Console, text: str, style: str) -> None:
    """Foreign text in one style; a terminal that is too narrow for it breaks it between words."""
    for row in wrap_for_console(console, style_text(text, style)):
        console.print(row)


def wrap_for_console(console: Console, text: Text) -> list[Text]:
    """Rows that fit a terminal; elsewhere the text as it is."""
    return list(fit_rows(text, console.width)) if console.file.isatty() else [text]


def fit_rows(text: Text, width: int) -> Iterator[Text]:
    """Rows of at most `width` cells, each begun as far to the right as its line."""
    for line in text.split("\n", allow_blank=True):
        indent = len(line.plain) - len(line.plain.lstrip(" "))
        for row in wrap_text(line[indent:], max(width - indent, LEAST_ROOM)):
            yield Text(" " * indent).append_text(row)


def fit_text(text: str) -> str:
    """Text that is safe, in rows that fit the terminal."""
    return "\n".join(row.plain for row in fit_rows(Text(text), open_console().width))


def render_lines(what: str | RenderableType, style: str = "") -> str:
    """Lines as this terminal shows them, for what writes them later; a `str` is foreign text."""
    console = open_console(stderr=False)
    with console.capture() as lines:
        if isinstance(what, str):
            show_line(console, what, style)
        else:
            console.print(what)
    return lines.get()


def write_lines(lines: str) -> None:
    """Write what `rendered` made, at once."""
    sys.stdout.write(lines)
    sys.stdout.flush()
