"""What the loop needs of a prompt, whether the terminal can be painted on or only written to."""

from collections.abc import Callable
from typing import Protocol, TypeVar

Answer = TypeVar("Answer")


class Prompt(Protocol):
    """Where the human types, below everything that happens."""

    def above(self, text: str) -> None:
        """Write finished lines, colours included, above the prompt; in order, each once."""
        ...

    def tail(self, text: str) -> None:
        """Show the unfinished end of an answer, in the place of the one before; empty: none."""
        ...

    async def ask(self, question: Callable[[], Answer]) -> Answer:
        """What a function answers that asks at the terminal, in the place of the prompt."""
        ...
