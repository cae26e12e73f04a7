"""Plain text output; no foreign text can control the terminal.

Colour goes through `style_text`. `tests/cli/rendering/test_output.py` checks that nothing else
writes.
"""

import sys
from typing import TextIO

import typer

from ...config.security.redaction import redact
from .sanitize import sanitize_text, to_safe_json


def echo(text: object = "", *, err: bool = False, file: TextIO | None = None) -> None:
    """Write lines on stdout or stderr, without secrets and control characters.

    People and programs take stdout as it is; on stderr a terminal gets rows that are wrapped
    between words.
    """
    safe_text = sanitize_text(redact(str(text)))
    if err and sys.stderr.isatty():
        safe_text = _fit_text(safe_text)
    typer.echo(safe_text, err=err, file=file)


def echo_wrapped(text: str) -> None:
    """Write text on stdout that is only read; a terminal gets wrapped rows."""
    safe_text = sanitize_text(redact(text))
    typer.echo(_fit_text(safe_text) if sys.stdout.isatty() else safe_text)


def _fit_text(safe_text: str) -> str:
    from .console import fit_text  # imports rich

    return fit_text(safe_text)


def echo_json(value: object, *, indent: int | None = 2) -> None:
    """Write a value as JSON on stdout; without `indent` on one line, and flush."""
    typer.echo(to_safe_json(value, indent))
