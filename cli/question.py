"""Ask at the terminal; Ctrl-C and Ctrl-D end the command as interrupted."""

from collections.abc import Collection, Generator
from contextlib import contextmanager

import typer

from .echo import echo
from .safe_text import safe

INTERRUPTED = 130


def agreed(question: str) -> bool:
    """Whether the answer is yes; no answer is no."""
    with _interrupted():
        return typer.confirm(safe(question), err=True)


def number(question: str) -> int:
    """A whole number; anything else is asked again."""
    with _interrupted():
        while not (said := typer.prompt(safe(question), err=True).strip()).isdecimal():
            pass
    return int(said)


def words(question: str) -> str:
    """An answer in words."""
    with _interrupted():
        return str(typer.prompt(safe(question), err=True))


def choice(question: str, keys: Collection[str]) -> str:
    """One of the keys, or a word that begins with it; anything else is asked again."""
    with _interrupted():
        while (said := typer.prompt(question, err=True)[:1].lower()) not in keys:
            pass
    return said


@contextmanager
def _interrupted() -> Generator[None]:
    try:
        yield
    except typer.Abort:
        echo(err=True)
        raise typer.Exit(INTERRUPTED) from None
