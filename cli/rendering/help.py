"""Help pages: the texts of all commands in the current language, and their layout.

Names of commands, options and types are never translated. Typer's own page counts characters and
cuts sentences; this one counts cells, of which a Chinese character takes two, and wraps lines.
"""

import re
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from ..i18n.catalogs import translate_english
from ..lazy_commands import LazyCommands
from .line_breaks import find_breaks
from .table import GAP
from .text_width import measure_width

# Texts of typer itself
TYPER_TEXTS = (
    "Usage: ",
    "Arguments:",
    "Options:",
    "Commands:",
    "Work:",
    "Threads:",
    "Tools:",
    "Setup:",
    "Show this message and exit.",
    "required",
    "default: {default}",
)
WIDEST = 80
# Cells; wider names have their text below them
FIRST_COLUMN = 30
# Cells for a text beside its name
MIN_ROOM = 24
_SENTENCE_END = re.compile(r"(?<=。)|(?<=\.) ")
_EXTRA = re.compile(r"(?:^|  )\[(.*)\]$")


def install_help_pages(command: Any) -> None:
    """Give a command and all its subcommands these help pages, in the current language."""
    command.context_class = _Context
    if command.help:
        command.help = _translate_text(command.help)
        command.short_help = command.short_help or _extract_first_sentence(command.help)
    for param in command.params:
        if getattr(param, "help", None):
            param.help = _translate_text(param.help)
    below = getattr(command, "commands", {})
    if isinstance(below, LazyCommands):
        below.prepare_each(install_help_pages)
        return
    for subcommand in below.values():
        install_help_pages(subcommand)


def unwrap_paragraphs(text: str) -> str:
    """Join the lines that are wrapped in the source: the catalogue has whole paragraphs."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def format_arguments(usage: str) -> str:
    """Name required arguments as POSIX does: `NAME`, not typer's `{name}`."""
    return re.sub(r"\{([\w-]+)\}", lambda argument: argument[1].upper(), usage)


def _translate_text(text: str) -> str:
    return translate_english("help", unwrap_paragraphs(text))


def _extract_first_sentence(text: str) -> str:
    line, _, _ = text.partition("\n")
    return _SENTENCE_END.split(line, maxsplit=1)[0]


class HelpPage:
    """The formatter into which typer writes a help page, or a usage line."""

    def __init__(self) -> None:
        self.width = min(shutil.get_terminal_size().columns, WIDEST) - 2
        self._indent = 0
        self._lines: list[str] = []

    def write_usage(self, prog: str, args: str = "") -> None:
        """Write the usage line."""
        args = format_arguments(args)
        head = f"{translate_english('help', 'Usage: ')}{prog} "
        room = self.width - measure_width(head)
        if room < MIN_ROOM or not args:
            self._add_text(head)
            self._add_text(args, indent=len(GAP) * 2)
        else:
            first, *rest = _split_rows(args, room)
            self._lines += [head + first, *(" " * measure_width(head) + row for row in rest)]

    def write_paragraph(self) -> None:
        """Write an empty line."""
        if self._lines:
            self._lines.append("")

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        for number, part in enumerate(text.split("\n\n")):
            self._lines += [""] if number else []
            self._add_text(part)

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None:
        """Write names, each with its text beside or below it."""
        limit = min(FIRST_COLUMN, self.width - MIN_ROOM)
        widths = [width for name, _ in rows if (width := measure_width(name)) <= limit]
        column = self._indent + max(widths, default=0) + len(GAP)
        for name, text in rows:
            text_rows = _split_rows(_translate_with_extra(text), self.width - column)
            line = " " * self._indent + name
            if text_rows and measure_width(line) + len(GAP) <= column:
                line += " " * (column - measure_width(line)) + text_rows.pop(0)
            self._lines += [line, *(" " * column + row for row in text_rows)]

    @contextmanager
    def section(self, name: str) -> Generator[None]:
        """Write a heading, and indent what follows."""
        self.write_paragraph()
        self._lines.append(_translate_text(f"{name}:"))
        with self.indentation():
            yield

    @contextmanager
    def indentation(self) -> Generator[None]:
        """Indent the lines inside."""
        self._indent += len(GAP)
        yield
        self._indent -= len(GAP)

    def getvalue(self) -> str:
        """Return the page."""
        return "\n".join(self._lines) + "\n"

    def _add_text(self, text: str, indent: int = 0) -> None:
        before = " " * (self._indent + indent)
        self._lines += [before + row for row in _split_rows(text, self.width - len(before))]


class _Context(typer.Context):
    def make_formatter(self) -> Any:
        return HelpPage()


def _translate_with_extra(text: str) -> str:
    """Translate a text and typer's suffix in brackets: the default, and whether it is required."""
    extra = _EXTRA.search(text)
    if not extra:
        return _translate_text(text)
    translated = "; ".join(_translate_extra(part) for part in extra[1].split("; "))
    return f"{text[: extra.start()]}  [{translated}]".strip()


def _translate_extra(extra: str) -> str:
    name, colon, value = extra.partition(": ")
    if name == "default" and colon:
        return _translate_text("default: {default}").format(default=value)
    return _translate_text(extra)


def _split_rows(text: str, width: int) -> list[str]:
    if not text:
        return []
    cuts = find_breaks(text, width)
    return [text[a:b].rstrip() for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
