"""What the loop needs of a prompt, whether the terminal can be painted on or only written to."""

import signal
from collections.abc import Callable
from typing import Protocol, TypeVar

import typer

from ...prompts.interruptible_input import run_interruptible
from .hangup import has_received_signal, pass_on_termination

Answer = TypeVar("Answer")
# Stands before what the human types
SIGN = "› "


class ReplExit(Exception):
    """The human goes: `/exit`, Ctrl-D, or the terminal is gone."""


class ReplTerminated(ReplExit):
    """SIGTERM came while a question waited for its answer."""


class PromptAborted(Exception):
    """The human turned away from a question: Ctrl-C or Ctrl-D."""


class Prompt(Protocol):
    """Where the human types, below everything that happens."""

    def print_above(self, text: str) -> None:
        """Write finished lines, colours included, above the prompt; in order, each once."""
        ...

    def echo_line(self, words: str) -> None:
        """Let a line that was sent stand with what follows from it."""
        ...

    def show_tail(self, text: str) -> None:
        """Show the unfinished end of an answer, in the place of the one before; empty: none."""
        ...

    def give_back(self, line: str) -> None:
        """Put a line that was not sent where it can be changed and sent again."""
        ...

    def refresh(self) -> None:
        """Show the state of things as it is by now."""
        ...

    def send_escape_codes(self, codes: str) -> None:
        """Send what the window is told besides text, such as its title."""
        ...

    async def ask_question(self, question: Callable[[], Answer]) -> Answer:
        """What a function answers that asks at the terminal, in the place of the prompt.

        Raises Unanswered.
        """
        ...


def run_question(question: Callable[[], Answer]) -> Answer:
    """The answer; the loop stands still meanwhile, so signals must reach whoever reads it.

    Raises Unanswered, and ReplExit where the machine goes down.
    """

    def call_question() -> Answer:
        if has_received_signal():
            raise ReplExit
        return question()

    try:
        return run_interruptible(
            {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: ReplTerminated}, call_question
        )
    except ReplTerminated:
        pass_on_termination()
        raise
    except (KeyboardInterrupt, EOFError, typer.Exit, typer.Abort):
        raise PromptAborted from None
