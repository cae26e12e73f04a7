"""A prompt for terminals that can only be written to (`TERM=dumb`): one line after the other."""

from collections.abc import Callable
from typing import TypeVar

from ...prompts.interruptible_input import read_stdin_line
from ...rendering.output import echo
from .input_line import strip_continuation
from .protocol import SIGN, PromptAborted, run_question

Answer = TypeVar("Answer")


class PlainPrompt:
    """Writes what is finished and reads whole lines; nothing is painted, nothing is taken away."""

    def read_line(self) -> str:
        """A line, with those that a backslash at its end adds to it; raises Unanswered."""
        typed = _ask_line(SIGN)
        while (begun := strip_continuation(typed)) is not None:
            typed = f"{begun}\n{_ask_line(' ' * len(SIGN))}"
        return typed

    def print_above(self, text: str) -> None:
        """Write finished lines."""
        from ...rendering.console import write_lines

        write_lines(text)

    def echo_line(self, words: str) -> None:
        """It stands there: the terminal showed it as it was typed."""

    def show_tail(self, text: str) -> None:
        """What is not finished is not shown."""

    def give_back(self, line: str) -> None:
        """Nothing waits here, since nothing can be typed meanwhile."""

    def refresh(self) -> None:
        """There is nothing to paint."""

    def send_escape_codes(self, codes: str) -> None:
        """Such a terminal has no title and no bell."""

    async def ask_question(self, question: Callable[[], Answer]) -> Answer:
        """Let a function have the terminal."""
        return run_question(question)


def _ask_line(sign: str) -> str:
    try:
        return run_question(lambda: _read_line_at(sign))
    except PromptAborted:
        echo()
        raise


def _read_line_at(sign: str) -> str:
    from ...rendering.console import write_lines  # brings rich

    write_lines(sign)
    return read_stdin_line()
