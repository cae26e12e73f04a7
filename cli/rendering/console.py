"""Console for the terminal; it makes foreign text safe."""

import re
import sys
from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from ...config.security.redaction import redact
from ..i18n.catalogs import t
from .line_breaks import link_addresses, wrap_text
from .sanitize import sanitize_text
from .text_width import measure_width

# Least cells for the text of a row, however large its indent
MIN_ROOM = 20
CODE_STYLE = "magenta"
# Left of everything that belongs to a question
MARGIN = "  "
_CODE = re.compile(r"`([^`\n]+)`")
# A sentence with one command, and other ways after it
_FIRST_WAY = re.compile(r"([^`\n]*`[^`\n]+`)[,;，；] ?((?:or|for|或|如果|使用)[^\n]*)")


def open_console(*, stderr: bool = True) -> Console:
    """Open a console that does not guess styles or wrap; `NO_COLOR` and pipes get plain text."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def can_redraw(console: Console) -> bool:
    """Return whether rows can be removed again: it is a terminal, and not a dumb one."""
    return console.file.isatty() and not console.is_dumb_terminal


def style_text(text: str, style: str) -> Text:
    """Return foreign text in one style, with secrets redacted."""
    return Text(sanitize_text(redact(text)), style=style)


def style_sentence(console: Console, text: str, style: str) -> Text:
    """Return a sentence of ours: addresses are links, code is coloured where there are colours."""
    plain, result, place = link_addresses(style_text(text, style)), Text(style=style), 0
    if console.no_color or not console.color_system:
        return plain
    for match in _CODE.finditer(plain.plain):
        result.append(plain.plain[place : match.start()]).append(match[1], CODE_STYLE)
        place = match.end()
    return link_addresses(result.append(plain.plain[place:]))


def format_hint(console: Console, hint: str) -> list[Text]:
    """Return what to do about an error; a terminal gets other ways below the first, and pale."""
    first = _FIRST_WAY.match(hint) if can_redraw(console) else None
    rows = [first[1], first[2]] if first else [hint]
    head = t("error.hint", hint=rows[0])
    indent = " " * measure_width(head.removesuffix(rows[0]))
    others = [style_sentence(console, f"{indent}{row}", "dim") for row in rows[1:]]
    return [style_sentence(console, head, ""), *others]


def print_error(message: str, hint: str) -> None:
    """Print an error and its hint on stderr."""
    console = open_console()
    for row in format_error(console, message, hint):
        console.print(row)


def format_error(console: Console, message: str, hint: str) -> list[Text]:
    """Return rows that say what is wrong, in red, and what to do."""
    says = style_sentence(console, t("error.says", message=message), "bold red")
    lines = [says, *(format_hint(console, hint) if hint else ())]
    return [row for line in lines for row in wrap_for_console(console, line)]


def show_line(console: Console, text: str, style: str) -> None:
    """Print foreign text in one style; a narrow terminal wraps it between words."""
    for row in wrap_for_console(console, style_text(text, style)):
        console.print(row)


def show_sentence(console: Console, text: str, style: str = "") -> None:
    """Print a sentence of the program as `show_line` does, with what it quotes drawn as code."""
    for row in wrap_for_console(console, style_sentence(console, text, style)):
        console.print(row)


def show_decision(console: Console, text: str) -> None:
    """Show one row of what was decided, where the question has stood."""
    sign, sentence = Text.assemble(MARGIN, ("✓ ", "green")), style_sentence(console, text, "dim")
    room = max(console.width - len(sign), MIN_ROOM)
    for row in wrap_text(sentence, room, keeps_addresses=True):
        console.print(Text.assemble(sign, row))
        sign = Text(" " * len(sign))


def show_heading(console: Console, heading: str, style: str = "yellow") -> None:
    """Begin a question below a rule; a terminal that cannot be redrawn gets only the heading.

    Without a style it asks for no caution.
    """
    console.print()
    bold = f"bold {style}".strip()
    if not can_redraw(console):
        show_line(console, heading, bold)
        return
    show_rule(console, style or "dim")
    show_line(console, f"{MARGIN}{heading}", bold)
    console.print()


def show_rule(console: Console, style: str) -> None:
    """Draw a line over the whole width."""
    console.print(Text("─" * console.width, style))


def wrap_for_console(console: Console, text: Text) -> list[Text]:
    """Return rows that fit a terminal, save for a longer address; elsewhere the text unchanged."""
    if not console.file.isatty():
        return [text]
    return list(fit_rows(text, console.width, keeps_addresses=True))


def fit_rows(text: Text, width: int, *, keeps_addresses: bool = False) -> Iterator[Text]:
    """Yield rows of at most `width` cells, each with the indent of its line."""
    for line in text.split("\n", allow_blank=True):
        indent = len(line.plain) - len(line.plain.lstrip(" "))
        room = max(width - indent, MIN_ROOM)
        for row in wrap_text(line[indent:], room, keeps_addresses=keeps_addresses):
            yield Text(" " * indent).append_text(row)


def fit_text(text: str) -> str:
    """Return safe text, in rows that fit the terminal."""
    return "\n".join(row.plain for row in fit_rows(Text(text), open_console().width))


def render_lines(content: str | RenderableType, style: str = "") -> str:
    """Return the lines as this terminal shows them, for later output; a `str` is foreign text."""
    console = open_console(stderr=False)
    with console.capture() as lines:
        if isinstance(content, str) and style and can_redraw(console):
            for row in fit_rows(style_sentence(console, content, style), console.width):
                console.print(row)
        elif isinstance(content, str):
            show_line(console, content, style)
        else:
            console.print(content)
    return lines.get()


def write_captured(console: Console, rows: str) -> None:
    """Write what the console has captured."""
    console.file.write(rows)
    console.file.flush()


def write_lines(lines: str) -> None:
    """Write the result of `render_lines` at once."""
    sys.stdout.write(lines)
    sys.stdout.flush()


class TransientRows:
    """Rows at the end of a terminal that are removed before any other output."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown = 0

    def show_rows(self, rows: Sequence[Text]) -> None:
        """Replace the previous rows."""
        above = [(ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2)] * self._shown
        fitting = rows[-max(self._console.height - 2, 1) :]
        with self._console:  # a single write
            if above:
                self._console.control(Control(ControlType.CARRIAGE_RETURN, *above))
            for row in fitting:
                self._console.print(row)
        self._shown = len(fitting)
