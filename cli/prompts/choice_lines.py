"""A question as lines, where nothing can be redrawn: dumb terminals, screen readers and pipes."""

import os
import select
import sys
import termios
import time
from collections.abc import Sequence

from rich.console import Console

from ..i18n.catalogs import t
from ..rendering.console import show_line
from .choice_keys import AFTER_DRAWING, Choice, ChoiceReply
from .interruptible_input import is_terminal
from .text_input import read_plain_line

# Lines that are no answer, after which a pipe has none
MAX_UNCLEAR_LINES = 100


def choose_from_lines(console: Console, choices: Sequence[Choice]) -> ChoiceReply:
    """Return the answer: the whole word of a choice, or a text, which belongs to the last one.

    A single character is no yes and no no. Raises EOFError at the end of input.
    """
    before = _read_buffered_keys()
    for number, choice in enumerate(choices, 1):
        show_line(console, f"  {number} {choice.label}", "")
    drawn = time.monotonic()
    for _ in range(MAX_UNCLEAR_LINES):
        line = before + _read_line(console, choices)
        is_typed_before = bool(before) or _is_too_early(drawn)
        if reply := _find_reply(choices, line.strip(), is_typed_before=is_typed_before):
            return reply
        before = ""
        show_line(console, t("choice.lines.unclear"), "yellow")
    raise EOFError


def _find_reply(
    choices: Sequence[Choice], line: str, *, is_typed_before: bool
) -> ChoiceReply | None:
    last, is_free = choices[-1], choices[-1].is_free
    words = {choice.word.lower(): choice for choice in choices}
    if is_free:
        words |= {str(number): choice for number, choice in enumerate(choices[:-1], 1)}
    if choice := words.get(line.lower()):
        is_answer = not choice.needs_text and (choice is last or not is_typed_before)
        return ChoiceReply(choice.word) if is_answer else None
    return ChoiceReply(last.word, line) if len(line) > 1 or (is_free and line) else None


def _read_line(console: Console, choices: Sequence[Choice]) -> str:
    words = ", ".join(choice.word for choice in choices if not choice.needs_text)
    question = t("ask.reply") if choices[-1].is_free else t("choice.lines", words=words)
    return read_plain_line(console, question)


def _is_too_early(drawn: float) -> bool:
    """Return whether nobody can have read the question, of which a pipe knows nothing."""
    return is_terminal(sys.stdin) and time.monotonic() - drawn < AFTER_DRAWING


def _read_buffered_keys() -> str:
    """Take what a terminal holds: whole lines are dropped, the last one has not ended."""
    if not is_terminal(sys.stdin):
        return ""
    keys = sys.stdin.fileno()
    before = termios.tcgetattr(keys)
    raw = termios.tcgetattr(keys)
    raw[3] &= ~termios.ICANON
    typed = b""
    termios.tcsetattr(keys, termios.TCSANOW, raw)
    try:
        while select.select([keys], [], [], 0)[0] and (piece := os.read(keys, 4096)):
            typed += piece
    finally:
        termios.tcsetattr(keys, termios.TCSANOW, before)
    return typed.decode(errors="replace").replace("\r", "\n").rpartition("\n")[2]
