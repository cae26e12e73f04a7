"""One line that the human types in answer to a question."""

from rich.console import Console

from .screen import styled


def read(console: Console, prompt: str) -> str:
    """What was typed, without blanks around it; raises EOFError at the end of input."""
    console.print(styled(f"{prompt} ", "bold"), end="")
    return input().strip()
