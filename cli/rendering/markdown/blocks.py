"""An answer that is still being written, as Markdown blocks: which are finished, what is left.

Finished blocks are shown once and never touched again, so nothing flickers and no line is repeated
in the scrollback. Only the unfinished tail is parsed, only when a line has ended, and the less
often the longer it is: the work grows with the answer, not with its square.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..sanitize import safe

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PART = 12
"""Lines of a fenced block that are shown before it is finished."""
WHOLE = {"heading", "hr"}
"""Blocks that nothing can go on."""
MAY_GO_ON = {"bullet_list", "ordered_list", "code_block", "fence"}
"""Blocks that go on after a blank line."""


@dataclass(frozen=True)
class Block:
    """A piece of an answer that can be shown by itself."""

    text: str
    """Exactly as it came: the texts of all blocks and of the tail are the answer."""
    before: str = ""
    """Of a fenced block that is shown in parts: its lines up to here."""


def parser() -> "MarkdownIt":
    """Markdown as answers have it: HTML is text, links are as written, `[x]: y` hides nothing."""
    from markdown_it import MarkdownIt  # here, so that `--help` does without

    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": 50})
    markdown.normalizeLink = str  # type: ignore[method-assign]
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    return markdown.enable(["table", "strikethrough"]).disable("reference")


class MarkdownStream:
    """Pieces go in; finished blocks come out, each once and in order."""

    def __init__(self) -> None:
        self._parser = parser().disable("inline")
        self._lines: list[str] = []
        """Ended lines of the tail."""
        self._line: list[str] = []
        """Pieces of the line that has not ended."""
        self._parsed = 0
        """Lines of the tail when it was parsed last."""
        self._before: list[str] = []
        self._fence_end: re.Pattern[str] | None = None
        """What ends the fenced block with which the tail begins."""

    @property
    def tail(self) -> Block:
        """What is not finished."""
        return Block("".join([*self._lines, *self._line]), "".join(self._before))

    def feed(self, piece: str) -> list[Block]:
        """Take a piece; the blocks that are finished by it."""
        blocks: list[Block] = []
        *ended, rest = piece.split("\n")
        for text in ended:
            self._lines.append("".join([*self._line, text, "\n"]))
            self._line = []
            blocks += self._in_fence() if self._fence_end else self._in_text()
        if rest:
            self._line.append(rest)
        return blocks

    def finish(self) -> list[Block]:
        """The answer has ended, and so has its tail."""
        tail = self.tail
        self.forget()
        return [tail] if tail.text else []

    def forget(self) -> None:
        """Forget the tail: it will not be finished."""
        self._lines, self._line, self._before = [], [], []
        self._parsed, self._fence_end = 0, None

    def _in_text(self) -> Iterator[Block]:
        if len(self._lines) - self._parsed <= self._parsed // 8:
            return
        text = "".join(self._lines)
        last = _last_block(self._parser.parse(safe(text)))
        if last:
            end = _end_of_finished(last, self._lines)
            if last.type == "fence" and last.map and end == last.map[0]:
                self._fence_end = _end_of(last)
            yield from self._cut(end)
        self._parsed = len(self._lines)

    def _in_fence(self) -> Iterator[Block]:
        if self._fence_end and self._fence_end.fullmatch(self._lines[-1]):
            yield from self._cut(len(self._lines))
            self._before, self._fence_end, self._parsed = [], None, 0
        elif len(self._lines) >= max(PART, len(self._before) // 4):
            lines = self._lines
            yield from self._cut(len(lines))
            self._before += lines

    def _cut(self, line: int) -> Iterator[Block]:
        if line:
            yield Block("".join(self._lines[:line]), "".join(self._before))
            self._lines = self._lines[line:]


def _last_block(tokens: "Sequence[Token]") -> "Token | None":
    """The token with which the last top-level block begins."""
    begins = (token for token in reversed(tokens) if token.level == 0 and token.nesting >= 0)
    return next(begins, None)


def _end_of_finished(last: "Token", lines: Sequence[str]) -> int:
    """The first line that more text could still change."""
    begin, end = last.map or (0, 0)
    name = last.type.removesuffix("_open")
    if name in WHOLE or (name == "fence" and _is_closed(last, lines)):
        return end
    if end < len(lines) and name not in MAY_GO_ON:
        return len(lines)
    return begin


def _is_closed(fence: "Token", lines: Sequence[str]) -> bool:
    begin, end = fence.map or (0, 0)
    return end - begin > 1 and bool(_end_of(fence).fullmatch(lines[end - 1]))


def _end_of(fence: "Token") -> re.Pattern[str]:
    mark = re.escape(fence.markup[0])
    return re.compile(rf" {{0,3}}{mark}{{{len(fence.markup)},}}[ \t]*\r?\n")
