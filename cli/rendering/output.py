"""The one way of plain words out of this program: nothing of a foreign text can steer a terminal.

Colour is for `screen.styled`. `tests/cli/rendering/test_output.py` sees to it that nothing else
writes.
"""

import sys
from typing import TextIO

import typer

from ...config.security.redaction import redact
from .sanitize import sanitize_text, to_safe_json


def echo(text: object = "", *, err: bool = False, file: TextIO | None = None) -> None:
    """Write lines on stdout, or on stderr: no secret, nothing that could steer a terminal.

    What is on stdout is taken as it is by people and programs; on stderr a terminal gets rows that
    are broken between words.
    """
    shown = sanitize_text(redact(str(text)))
    if err and sys.stderr.isatty():
        shown = _fit_text(shown)
    typer.echo(shown, err=err, file=file)


def echo_wrapped(text: str) -> None:
    """Write on stdout what is read, not taken: there, too, a terminal gets rows."""
    shown = sanitize_text(redact(text))
    typer.echo(_fit_text(shown) if sys.stdout.isatty() else shown)


def _fit_text(shown: str) -> str:
    from .console import fit_text  # brings rich

    return fit_text(shown)


def echo_json(value: object, *, indent: int | None = 2) -> None:
    """Write a value as JSON on stdout; without `indent` on one line, at once."""
    typer.echo(to_safe_json(value, indent))
