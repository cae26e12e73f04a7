"""Interface of the prompt, for terminals with and without cursor control."""

import signal
from collections.abc import Callable
from typing import Protocol, TypeVar

import typer

from ...prompts.interruptible_input import run_interruptible
from .hangup import has_received_signal, pass_on_termination

Answer = TypeVar("Answer")
# Precedes the user's input
SIGN = "› "


class ReplExit(Exception):
    """The user leaves: `/exit`, Ctrl-D, or the terminal is gone."""


class ReplTerminated(ReplExit):
    """SIGTERM arrived while a question waited for its answer."""


class PromptAborted(Exception):
    """The user aborted a question: Ctrl-C or Ctrl-D."""


class Prompt(Protocol):
    """The user's input, below all output."""

    def print_above(self, text: str) -> None:
        """Write finished lines, with colours, above the prompt; in order, each once."""
        ...

    def echo_line(self, words: str) -> None:
        """Show a sent line above the output that follows from it."""
        ...

    def show_tail(self, text: str) -> None:
        """Replace the shown end of an unfinished answer; empty: remove it."""
        ...

    def give_back(self, line: str) -> None:
        """Return an unsent line to the input, where it can be edited and sent again."""
        ...

    def refresh(self) -> None:
        """Show the current state."""
        ...

    def send_escape_codes(self, codes: str) -> None:
        """Send escape codes to the window, such as its title."""
        ...

    def apply_key_style(self) -> bool:
        """Follow the setting `ui.keys`; return whether this prompt has keys of its own."""
        ...

    async def ask_question(self, question: Callable[[], Answer]) -> Answer:
        """Run a function that asks at the terminal, in place of the prompt; return its result.

        Raises PromptAborted.
        """
        ...

    async def run_program(self, run: Callable[[], None]) -> None:
        """Let a program use the terminal in place of the prompt; a turn goes on meanwhile."""
        ...


def run_question(question: Callable[[], Answer]) -> Answer:
    """Return the answer; the loop is blocked meanwhile, so signals must reach its reader.

    Raises PromptAborted, and ReplExit on a shutdown.
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
