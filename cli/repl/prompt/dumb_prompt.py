"""A prompt for terminals that can only be written to (`TERM=dumb`): one line after the other."""

from collections.abc import Callable
from typing import TypeVar

from ...prompts.interruptible_input import heard_line
from ...rendering.output import echo
from .input_line import continued
from .protocol import SIGN, Unanswered, asked

Answer = TypeVar("Answer")


class PlainPrompt:
    """Writes what is finished and reads whole lines; nothing is painted, nothing is taken away."""

    def read(self) -> str:
        """A line, with those that a backslash at its end adds to it; raises Unanswered."""
        typed = _read(SIGN)
        while (begun := continued(typed)) is not None:
            typed = f"{begun}\n{_read(' ' * len(SIGN))}"
        return typed

    def above(self, text: str) -> None:
        """Write finished lines."""
        from ...rendering.console import write

        write(text)

    def sent(self, words: str) -> None:
        """It stands there: the terminal showed it as it was typed."""

    def tail(self, text: str) -> None:
        """What is not finished is not shown."""

    def give_back(self, line: str) -> None:
        """Nothing waits here, since nothing can be typed meanwhile."""

    def refresh(self) -> None:
        """There is nothing to paint."""

    def signal(self, codes: str) -> None:
        """Such a terminal has no title and no bell."""

    async def ask(self, question: Callable[[], Answer]) -> Answer:
        """Let a function have the terminal."""
        return asked(question)


def _read(sign: str) -> str:
    try:
        return asked(lambda: _line_at(sign))
    except Unanswered:
        echo()
        raise


def _line_at(sign: str) -> str:
    from ...rendering.console import write  # brings rich

    write(sign)
    return heard_line()
