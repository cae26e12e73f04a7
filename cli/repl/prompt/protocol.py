"""What the loop needs of a prompt, whether the terminal can be painted on or only written to."""

import signal
from collections.abc import Callable
from typing import Protocol, TypeVar

import typer

from ...prompts.interruptible_input import hearing
from .hangup import is_gone, pass_on_termination

Answer = TypeVar("Answer")
SIGN = "› "
"""Stands before what the human types."""


class LeaveRepl(Exception):
    """The human goes: `/exit`, Ctrl-D, or the terminal is gone."""


class Terminated(LeaveRepl):
    """SIGTERM came while a question waited for its answer."""


class Unanswered(Exception):
    """The human turned away from a question: Ctrl-C or Ctrl-D."""


class Prompt(Protocol):
    """Where the human types, below everything that happens."""

    def above(self, text: str) -> None:
        """Write finished lines, colours included, above the prompt; in order, each once."""
        ...

    def sent(self, words: str) -> None:
        """Let a line that was sent stand with what follows from it."""
        ...

    def tail(self, text: str) -> None:
        """Show the unfinished end of an answer, in the place of the one before; empty: none."""
        ...

    def give_back(self, line: str) -> None:
        """Put a line that was not sent where it can be changed and sent again."""
        ...

    def refresh(self) -> None:
        """Show the state of things as it is by now."""
        ...

    def signal(self, codes: str) -> None:
        """Send what the window is told besides text, such as its title."""
        ...

    async def ask(self, question: Callable[[], Answer]) -> Answer:
        """What a function answers that asks at the terminal, in the place of the prompt.

        Raises Unanswered.
        """
        ...


def asked(question: Callable[[], Answer]) -> Answer:
    """The answer; the loop stands still meanwhile, so signals must reach whoever reads it.

    Raises Unanswered, and LeaveRepl where the machine goes down.
    """

    def ask() -> Answer:
        if is_gone():
            raise LeaveRepl
        return question()

    try:
        return hearing({signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}, ask)
    except Terminated:
        pass_on_termination()
        raise
    except (KeyboardInterrupt, EOFError, typer.Exit, typer.Abort):
        raise Unanswered from None
