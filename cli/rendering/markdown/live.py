"""The model's answer on a terminal: finished blocks once, and the unfinished tail below them."""

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.text import Text

from ..block_printer import SPEECH, BlockPrinter, indent_row
from ..console import TransientRows, can_redraw
from ..line_breaks import cut_text
from ..text_width import measure_width
from .blocks import MarkdownBlock, MarkdownStream
from .hyperlinks import add_links
from .layout import render_block

# Rows of the tail that are shown, the last ones
TAIL_ROWS = 8
# Least seconds between two redraws of the tail
EVERY = 0.08
# Redraw the tail after this many times the duration of a draw: it costs at most a tenth
SHARE = 10
# Cells of the longest paragraph that may be a remark between two steps
MAX_REMARK = 200

_REMARK = re.compile(r"(?!#|>|\||```|~~~|(?:[*+-]|\d+[.)])\s)[^\n]+")

ShowTail = Callable[[Sequence[Text]], None]


class AnswerView:
    """Shows an answer as its pieces arrive; finished rows are printed once and stay."""

    def __init__(
        self,
        console: Console,
        show_tail: ShowTail,
        printer: BlockPrinter | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        """Create it; `prepare` prints what belongs above an answer that is printed."""
        self._console = console
        self._prepare = prepare
        self._printer = printer or BlockPrinter(console)
        self._show_tail = show_tail
        self._stream = MarkdownStream()
        self._held: list[MarkdownBlock] = []
        """The first paragraph, while it may be a remark only."""
        self._has_rows = False
        self._next_picture = 0.0
        self._coming: asyncio.TimerHandle | None = None
        """The scheduled redraw, in case no further piece triggers it."""

    def add_text(self, piece: str) -> None:
        """Show one more piece."""
        blocks = self._hold_remark([*self._held, *self._stream.feed(piece)])
        self._print_blocks(blocks)
        wait = 0.0 if blocks else self._next_picture - time.monotonic()
        if wait <= 0:
            self._paint_tail()
        elif not self._coming:
            with suppress(RuntimeError):  # without a loop there is no timer
                self._coming = asyncio.get_running_loop().call_later(wait, self._paint_tail)

    def finish_answer(self) -> None:
        """End the answer; what follows is another one."""
        self._print_blocks([*self._held, *self._stream.finish()])
        self._reset_state()

    def take_remark(self) -> str:
        """Return the answer and drop it if it is one short paragraph; else empty."""
        text = "".join(block.text for block in [*self._held, self._stream.tail]).strip()
        if self._has_rows or not is_remark(text):
            return ""
        self.discard_tail()
        return text

    def discard_tail(self) -> None:
        """Drop the tail: it will not be finished, as the request is repeated."""
        self._stream.discard_tail()
        self._show_tail([])
        self._reset_state()

    def _hold_remark(self, blocks: list[MarkdownBlock]) -> list[MarkdownBlock]:
        """Hold the first paragraph back until there is more of the answer; return the others."""
        is_alone = len(blocks) == 1 and not self._stream.tail.text.strip()
        may_be_remark = self._prepare and not self._has_rows and is_alone
        self._held = blocks if may_be_remark and is_remark(blocks[0].text.strip()) else []
        return [] if self._held else blocks

    def _reset_state(self) -> None:
        self._has_rows, self._held = False, []
        self._next_picture = 0.0
        self._cancel_paint()

    def _cancel_paint(self) -> None:
        if self._coming:
            self._coming.cancel()
        self._coming = None

    def _print_blocks(self, blocks: Sequence[MarkdownBlock]) -> None:
        if not blocks:
            return
        self._show_tail([])
        for block in blocks:
            rows = self._render_spaced(block)
            if rows and not self._has_rows:
                if self._prepare:
                    self._prepare()
                self._printer.open_block()
            for row in rows:
                self._console.print(add_links(row, Path.cwd()))
                self._has_rows = True

    def _paint_tail(self) -> None:
        self._cancel_paint()
        begin = time.monotonic()
        tail = self._stream.tail
        fence = tail.before[: tail.before.find("\n") + 1]  # the fence, for the layout of the rest
        text = "".join([*(block.text for block in self._held), tail.text])
        rows = self._render_spaced(MarkdownBlock(text, fence)) if text else []
        gap = [] if self._has_rows or not rows else [Text()]
        rows = [part for row in rows[-TAIL_ROWS:] for part in cut_text(row, self._console.width)]
        self._show_tail([*gap, *rows[-TAIL_ROWS:]])
        now = time.monotonic()
        self._next_picture = now + max(EVERY, SHARE * (now - begin))

    def _render_spaced(self, block: MarkdownBlock) -> list[Text]:
        """Return the rows of a block, after an empty one unless it is the answer's first."""
        width = self._printer.width
        content = render_block(block, width)
        rows = [indent_row(row, width) for row in content]
        if rows and not self._has_rows:
            return [Text.assemble(SPEECH, content[0]), *rows[1:]]
        return [Text(), *rows] if rows and not block.before else rows


def is_remark(text: str) -> bool:
    """Return whether a text is one short paragraph without marks of Markdown at its beginning."""
    return bool(_REMARK.fullmatch(text)) and measure_width(text) <= MAX_REMARK


def create_answer_view(console: Console, printer: BlockPrinter | None = None) -> AnswerView | None:
    """Create the view of answers on this console; None if they are printed as plain lines."""
    if not can_redraw(console):
        return None
    return AnswerView(console, TransientRows(console).show_rows, printer)
