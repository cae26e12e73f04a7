"""The model's thinking, apart from its answer: under a label, behind a gutter.

A terminal shows its last rows while it arrives, and one line when it has ended; elsewhere it is a
block of lines.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from rich.console import Console
from rich.text import Text

from ..i18n.catalogs import t
from .console import TransientRows, can_redraw, show_line, style_text
from .line_breaks import wrap_text

GUTTER = "┆ "
STYLE = "dim italic"
LABEL_STYLE = "dim"
# Rows that are shown while it arrives, the last ones; and most characters that they can have
TAIL_ROWS = 5
TAIL_CHARACTERS = 2_000
# Least seconds between two redraws
EVERY = 0.1

ShowRows = Callable[[Sequence[Text]], None]


class ThinkingView:
    """Shows one thought after another."""

    def __init__(
        self,
        console: Console,
        show_rows: ShowRows | None,
        on_fold: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        show_fold: Callable[[int], None] | None = None,
    ) -> None:
        self._console = console
        self._show_rows = show_rows
        """Replaces the rows at the end of the terminal; None: there is no such terminal."""
        self._on_fold = on_fold
        """Keeps a folded thought, so that it can be opened."""
        self._show_fold = show_fold or self._print_fold
        """Shows that a thought of so many seconds was folded."""
        self._clock = clock
        self._text = ""
        self._began = self._painted = 0.0
        self._next_paint: asyncio.TimerHandle | None = None

    def add_text(self, piece: str) -> None:
        """Show one more piece."""
        if not self._text:
            piece = piece.lstrip()
            if not piece:
                return
            self._began = self._clock()
            if not self._show_rows:
                self._console.print(Text(t("thinking.now"), style=LABEL_STYLE))
        before, self._text = self._text, self._text + piece
        if self._show_rows:
            self._schedule_paint()
        else:
            self._print_lines(piece, is_new_line=not before or before.endswith("\n"))

    def finish(self) -> None:
        """End the thought; what follows is the answer, or another thought."""
        if self._next_paint:
            self._next_paint.cancel()
        text, self._text, self._next_paint, self._painted = self._text, "", None, 0.0
        if not text:
            return
        if not self._show_rows:
            if not text.endswith("\n"):
                self._console.print()
            return
        self._show_rows([])
        self._show_fold(max(round(self._clock() - self._began), 1))
        if self._on_fold:
            self._on_fold(text.strip())

    def _print_fold(self, seconds: int) -> None:
        key = "thinking.folded.open" if self._on_fold else "thinking.folded"
        show_line(self._console, f"{GUTTER}{t(key, seconds=seconds)}", LABEL_STYLE)

    def _print_lines(self, piece: str, *, is_new_line: bool) -> None:
        lines = piece.split("\n")
        begins = [is_new_line, *(True for _ in lines[1:])]
        rows = [
            f"{GUTTER if begin and line else ''}{line}"
            for begin, line in zip(begins, lines, strict=True)
        ]
        self._console.print(style_text("\n".join(rows), STYLE), end="")

    def _schedule_paint(self) -> None:
        wait = self._painted + EVERY - time.monotonic()
        if wait <= 0:
            self._paint_rows()
        elif not self._next_paint:
            with suppress(RuntimeError):  # without a loop there is no timer
                self._next_paint = asyncio.get_running_loop().call_later(wait, self._paint_rows)

    def _paint_rows(self) -> None:
        self._next_paint, self._painted = None, time.monotonic()
        if self._show_rows:
            recent = self._text[-TAIL_CHARACTERS:]
            rows = _build_rows(recent, self._console.width)
            rows = [row for row in rows if row.plain.strip("┆ ")]
            self._show_rows([_build_label("thinking.now"), *rows[-TAIL_ROWS:]])


def create_thinking_view(console: Console) -> ThinkingView:
    """Create the view of thinking on this console."""
    return ThinkingView(console, TransientRows(console).show_rows if can_redraw(console) else None)


def build_thinking_block(text: str, width: int) -> Text:
    """Return a whole thought, with its label."""
    return Text("\n").join([_build_label("thinking.label"), *_build_rows(text, width)])


def _build_label(key: str) -> Text:
    return Text(t(key), style=LABEL_STYLE)


def _build_rows(text: str, width: int) -> list[Text]:
    """Return the rows of a thought behind the gutter; they leave the last column free."""
    room = max(width - len(GUTTER) - 1, 2)
    lines = style_text(text.strip("\n"), STYLE).split("\n", allow_blank=True)
    rows = (row for line in lines for row in wrap_text(line, room))
    return [Text(GUTTER, style=LABEL_STYLE).append_text(row) for row in rows]
