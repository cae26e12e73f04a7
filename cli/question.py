"""Ask at the terminal; Ctrl-C and Ctrl-D end the command as interrupted."""

from collections.abc import Generator
from contextlib import contextmanager

import typer

INTERRUPTED = 130


def agreed(question: str) -> bool:
    """Whether the answer is yes; no answer is no."""
    with _interrupted():
        return typer.confirm(question, err=True)


def number(question: str) -> int:
    """A whole number; anything else is asked again."""
    with _interrupted():
        return typer.prompt(question, type=int, err=True)


@contextmanager
def _interrupted() -> Generator[None]:
    try:
        yield
    except typer.Abort:
        typer.echo(err=True)
        raise typer.Exit(INTERRUPTED) from None
