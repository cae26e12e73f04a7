"""Questions with a choice at the terminal; Ctrl-C and Ctrl-D end the command as interrupted."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from ...config.exit_codes import INTERRUPTED
from ..i18n.catalogs import t
from .choice_keys import Choice, ChoiceReply

if TYPE_CHECKING:
    from rich.console import Console


def confirm(question: str) -> bool:
    """Return whether the answer is yes; what is asked so is permanent, so a yes needs Enter."""
    choices = [Choice("yes", t("choice.yes"), needs_enter=True), Choice("no", t("choice.no"))]
    return ask_choice(question, choices).word == "yes"


def ask_number(question: str) -> int:
    """Return a whole number; ask again after any other input."""
    from ..rendering.console import show_line  # imports rich
    from .text_input import read_line

    with _open_prompt_console() as console:
        while not (reply := read_line(console, question)).isdecimal():
            show_line(console, t("key.number"), "yellow")
    return int(reply)


def ask_choice(question: str, choices: Sequence[Choice]) -> ChoiceReply:
    """Return the word of the choice and what the user typed, which belongs to the last choice."""
    with _open_prompt_console() as console:
        return choose(console, question, choices)


def choose(console: "Console", question: str, choices: Sequence[Choice]) -> ChoiceReply:
    """Show the question and its choices, and afterwards the answer below it.

    Raises EOFError or KeyboardInterrupt if the user leaves the question open.
    """
    from ..rendering.console import show_line
    from .choice_lines import choose_from_lines
    from .text_input import can_edit

    show_line(console, question, "bold")
    if not can_edit():
        return choose_from_lines(console, choices)
    from .choice_list import POINTER, choose_from_list
    from .sync_bridge import run_sync

    reply = run_sync(choose_from_list(choices))
    label = next(choice.label for choice in choices if choice.word == reply.word)
    if reply.text:
        label = t(
            "labelled", label=t("choice.no") if reply.word == "no" else label, said=reply.text
        )
    show_line(console, f"{POINTER} {label}", "cyan")
    return reply


def confirm_abandon(why: str) -> bool:
    """Return whether to abandon an unfinished turn; otherwise it is resumed first.

    `why` names the reason why it is unfinished. Raises typer.Exit if the user does neither.
    """
    from ..i18n.message_translation import translate
    from ..rendering.console import show_line  # imports rich

    choices = [
        Choice("resume", t("key.unfinished.resume")),
        Choice("abandon", t("key.unfinished.abandon"), needs_enter=True),
        Choice("neither", t("key.unfinished.neither")),
    ]
    with _open_prompt_console() as console:
        show_line(console, translate(why), "yellow")
        reply = choose(console, t("repl.unfinished"), choices)
        if reply.word == "neither":
            raise KeyboardInterrupt
    return reply.word == "abandon"


@contextmanager
def _open_prompt_console() -> "Generator[Console]":
    from ..rendering.console import open_console

    console = open_console()
    try:
        yield console
    except (EOFError, KeyboardInterrupt):
        console.print()
        raise typer.Exit(INTERRUPTED) from None
