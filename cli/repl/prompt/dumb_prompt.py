"""A prompt for terminals without cursor control (`TERM=dumb`): one line after another."""

import asyncio
import sys
from collections.abc import Callable
from typing import TypeVar

from ...prompts.interruptible_input import has_more_input, is_terminal, read_stdin_line
from ...rendering.output import echo
from .input_line import strip_continuation
from .protocol import SIGN, PromptAborted, run_question

Answer = TypeVar("Answer")


class PlainPrompt:
    """Prints finished lines and reads whole ones; nothing is redrawn or removed."""

    def read_line(self) -> str:
        """Read a line and its continuations after a backslash; raise PromptAborted.

        Lines of a paste that follow at once belong to it. What was typed before is read by lines.
        """
        was_typed_before = _has_line_waiting()
        typed = _ask_line(SIGN)
        while (first_part := strip_continuation(typed)) is not None:
            typed = f"{first_part}\n{_ask_line(' ' * len(SIGN))}"
        while not was_typed_before and _has_line_waiting():
            typed = f"{typed}\n{_ask_line('')}"
        return typed

    def print_above(self, text: str) -> None:
        """Write finished lines."""
        from ...rendering.console import write_lines

        write_lines(text)

    def echo_line(self, words: str) -> None:
        """Do nothing: the terminal has echoed the line."""

    def show_tail(self, text: str) -> None:
        """Do nothing: an unfinished answer is not shown."""

    def give_back(self, line: str) -> None:
        """Do nothing: no line waits, since nothing can be typed during a turn."""

    def refresh(self) -> None:
        """Do nothing: there is nothing to redraw."""

    def send_escape_codes(self, codes: str) -> None:
        """Do nothing: such a terminal has no title and no bell."""

    def apply_key_style(self) -> bool:
        """Do nothing: the terminal itself edits the line."""
        return False

    async def ask_question(self, question: Callable[[], Answer]) -> Answer:
        """Let a function use the terminal."""
        return run_question(question)

    async def run_program(self, run: Callable[[], None]) -> None:
        """Let a program use the terminal."""
        await asyncio.to_thread(run)


def _has_line_waiting() -> bool:
    return is_terminal(sys.stdin) and has_more_input(sys.stdin.fileno())


def _ask_line(sign: str) -> str:
    try:
        return run_question(lambda: _read_line_at(sign))
    except PromptAborted:
        echo()
        raise


def _read_line_at(sign: str) -> str:
    from ...rendering.console import write_lines  # imports rich

    write_lines(sign)
    return read_stdin_line()
