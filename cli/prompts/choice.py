"""Questions with a choice at the terminal; Ctrl-C and Ctrl-D end the command as interrupted."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from ...config.exit_codes import INTERRUPTED
from ..i18n.catalogs import t

if TYPE_CHECKING:
    from rich.console import Console

    from .key_input import Keys


def confirm(question: str) -> bool:
    """Return whether the answer is yes."""
    return ask_choice(question, {"yes": t("key.yes"), "no": t("key.no")}) == "yes"


def ask_number(question: str) -> int:
    """Return a whole number; ask again after any other input."""
    from ..rendering.console import show_line  # imports rich
    from .text_input import read_line

    with _open_prompt_console() as console:
        while not (reply := read_line(console, question)).isdecimal():
            show_line(console, t("key.number"), "yellow")
    return int(reply)


def ask_choice(question: str, keys: "Keys") -> str:
    """Return the word of the key that was pressed; ask again after any other key."""
    from .key_input import read_key  # imports rich

    with _open_prompt_console() as console:
        return read_key(console, question, keys)


def confirm_abandon(why: str) -> bool:
    """Return whether to abandon an unfinished turn; otherwise it is resumed first.

    `why` names the reason why it is unfinished.
    """
    from ..i18n.message_translation import translate
    from ..rendering.console import show_line  # imports rich
    from .key_input import read_key

    keys = {word: t(f"key.unfinished.{word}") for word in ("resume", "abandon")}
    with _open_prompt_console() as console:
        show_line(console, translate(why), "yellow")
        return read_key(console, t("repl.unfinished"), keys, yes="resume") == "abandon"


@contextmanager
def _open_prompt_console() -> "Generator[Console]":
    from ..rendering.console import open_console

    console = open_console()
    try:
        yield console
    except (EOFError, KeyboardInterrupt):
        console.print()
        raise typer.Exit(INTERRUPTED) from None
