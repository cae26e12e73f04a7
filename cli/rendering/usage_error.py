"""Errors of typer in the voice of all others: what is wrong, then what to do."""

import re
from typing import Any

import typer

from ...config.text import text
from .help import format_arguments

# The base class of typer's errors for wrong arguments; typer does not export it by name
WRONG_USE = typer.BadParameter.__mro__[2]
_GUESS = " Did you mean "
_QUOTED = re.compile(r"(?<![^\s(])'([^'\s]+)'(?![^\s.,:;?)])")


def asks_for_help(error: Any) -> bool:
    """Return whether a group was called without a command: its message is the help page."""
    return type(error).__name__ == "NoArgsIsHelpError"


def describe_usage_error(error: Any) -> tuple[str, str]:
    """Return the message and the hint of an error about the arguments of a command line."""
    if hasattr(error, "possibilities"):
        guesses = ", ".join(f"`{name}`" for name in sorted(error.possibilities or ()))
        message = text("no such option `{name}`", name=error.option_name)
        return message, _build_hint(error.ctx, guesses)
    sentence, _, guesses = error.format_message().partition(_GUESS)
    sentence = sentence.replace(": Value error, ", ": ", 1).removesuffix(".")
    message = _QUOTED.sub(r"`\1`", sentence[:1].lower() + sentence[1:])
    return message, _build_hint(error.ctx, _QUOTED.sub(r"`\1`", guesses.removesuffix("?")))


def _build_hint(context: Any, guesses: str) -> str:
    if context is None:
        return text("did you mean {names}?", names=guesses) if guesses else ""
    command = context.command_path
    if guesses:
        return text(
            "did you mean {names}? `{command} -h` lists all", names=guesses, command=command
        )
    if hasattr(context.command, "commands"):
        return text("`{command} -h` lists all commands", command=command)
    arguments = format_arguments(" ".join(context.command.collect_usage_pieces(context)))
    return text(
        "usage: `{command} {arguments}`; `{command} -h` explains them",
        command=command,
        arguments=arguments,
    )
