"""One line that the human types in answer to a question."""

from rich.console import Console

from .screen import rows_of, styled


def read(console: Console, prompt: str) -> str:
    """What was typed, without blanks around it; raises EOFError at the end of input."""
    *above, last = rows_of(console, styled(prompt, "bold"))
    for row in above:
        console.print(row)
    console.print(last, end=" ")
    return input().strip()
