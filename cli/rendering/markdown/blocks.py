"""Markdown blocks of an answer that still streams: the finished ones and the tail.

Finished blocks are shown once and never redrawn, so nothing flickers and no line is repeated in the
scrollback. Only the unfinished tail is parsed, only at the end of a line, and the less often the
longer it is: the work grows with the answer, not with its square.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..sanitize import sanitize_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Lines of a fenced block that are shown before it is finished
PART_LINES = 12
# Blocks that nothing can continue
CLOSED_BLOCKS = {"heading", "hr"}
# Blocks that can continue after a blank line
CONTINUABLE_BLOCKS = {"bullet_list", "ordered_list", "code_block", "fence"}


@dataclass(frozen=True)
class MarkdownBlock:
    """A piece of an answer that can be shown by itself."""

    text: str
    """Unchanged input: the texts of all blocks and of the tail together are the answer."""
    before: str = ""
    """For a fenced block that is shown in parts: its lines before this one."""


def create_parser() -> "MarkdownIt":
    """Return the parser: HTML is text, links stay as written, `[x]: y` hides nothing."""
    from markdown_it import MarkdownIt  # imported here, so that `--help` does not load it

    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": 50})
    markdown.normalizeLink = str  # type: ignore[method-assign]
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    return markdown.enable(["table", "strikethrough"]).disable("reference")


class MarkdownStream:
    """Splits a stream into blocks: returns each finished one once and in order."""

    def __init__(self) -> None:
        self._parser = create_parser().disable("inline")
        self._lines: list[str] = []
        """Complete lines of the tail."""
        self._line: list[str] = []
        """Pieces of the incomplete line."""
        self._parsed = 0
        """Lines of the tail when it was last parsed."""
        self._before: list[str] = []
        self._fence_end: re.Pattern[str] | None = None
        """The line that closes the fenced block at the beginning of the tail."""

    @property
    def tail(self) -> MarkdownBlock:
        """The unfinished part."""
        return MarkdownBlock("".join([*self._lines, *self._line]), "".join(self._before))

    def feed(self, piece: str) -> list[MarkdownBlock]:
        """Add a piece; return the blocks that it finishes."""
        blocks: list[MarkdownBlock] = []
        *ended, rest = piece.split("\n")
        for text in ended:
            self._lines.append("".join([*self._line, text, "\n"]))
            self._line = []
            blocks += self._cut_fence_parts() if self._fence_end else self._cut_text_blocks()
        if rest:
            self._line.append(rest)
        return blocks

    def finish(self) -> list[MarkdownBlock]:
        """Return the tail as a last block: the answer has ended."""
        tail = self.tail
        self.discard_tail()
        return [tail] if tail.text else []

    def discard_tail(self) -> None:
        """Drop the tail: it will not be finished."""
        self._lines, self._line, self._before = [], [], []
        self._parsed, self._fence_end = 0, None

    def _cut_text_blocks(self) -> Iterator[MarkdownBlock]:
        if len(self._lines) - self._parsed <= self._parsed // 8:
            return
        text = "".join(self._lines)
        last = _find_last_block(self._parser.parse(sanitize_text(text)))
        if last:
            end = _find_finished_end(last, self._lines)
            if last.type == "fence" and last.map and end == last.map[0]:
                self._fence_end = _compile_fence_end(last)
            yield from self._cut_block(end)
        self._parsed = len(self._lines)

    def _cut_fence_parts(self) -> Iterator[MarkdownBlock]:
        if self._fence_end and self._fence_end.fullmatch(self._lines[-1]):
            yield from self._cut_block(len(self._lines))
            self._before, self._fence_end, self._parsed = [], None, 0
        elif len(self._lines) >= max(PART_LINES, len(self._before) // 4):
            lines = self._lines
            yield from self._cut_block(len(lines))
            self._before += lines

    def _cut_block(self, line: int) -> Iterator[MarkdownBlock]:
        if line:
            yield MarkdownBlock("".join(self._lines[:line]), "".join(self._before))
            self._lines = self._lines[line:]


def _find_last_block(tokens: "Sequence[Token]") -> "Token | None":
    """Return the token that opens the last top-level block."""
    begins = (token for token in reversed(tokens) if token.level == 0 and token.nesting >= 0)
    return next(begins, None)


def _find_finished_end(last: "Token", lines: Sequence[str]) -> int:
    """Return the first line that more text could still change."""
    begin, end = last.map or (0, 0)
    name = last.type.removesuffix("_open")
    if name in CLOSED_BLOCKS or (name == "fence" and _is_closed(last, lines)):
        return end
    if end < len(lines) and name not in CONTINUABLE_BLOCKS:
        return len(lines)
    return begin


def _is_closed(fence: "Token", lines: Sequence[str]) -> bool:
    begin, end = fence.map or (0, 0)
    return end - begin > 1 and bool(_compile_fence_end(fence).fullmatch(lines[end - 1]))


def _compile_fence_end(fence: "Token") -> re.Pattern[str]:
    mark = re.escape(fence.markup[0])
    return re.compile(rf" {{0,3}}{mark}{{{len(fence.markup)},}}[ \t]*\r?\n")
