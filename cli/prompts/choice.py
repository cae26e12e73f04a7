"""Questions with a choice: a list at a terminal, lines where nothing can be redrawn.

Ctrl-C and Ctrl-D end the command as interrupted.
"""

import os
import select
import sys
import termios
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from textwrap import indent
from typing import Literal

import typer
from rich.console import Console

from ...config.exit_codes import INTERRUPTED
from ..i18n.catalogs import t
from ..rendering.console import MARGIN, open_console, show_line, show_rule
from .choice_keys import AFTER_DRAWING, Choice, ChoiceReply
from .interruptible_input import is_terminal
from .text_input import can_edit, read_line, read_plain_line

# Lines that are no answer, after which a pipe has none
MAX_UNCLEAR_LINES = 100
# Stands for a secret
HIDDEN = "••••••••"
# What Esc does at a question
Leave = Literal["later", "exit", "cancel"]


def choose_from_lines(console: Console, choices: Sequence[Choice]) -> ChoiceReply:
    """Return the answer: the whole word of a choice, or a text, which belongs to the last one.

    A single character is no yes and no no. Raises EOFError at the end of input.
    """
    before = _read_buffered_keys()
    for number, choice in enumerate(choices, 1):
        note = f" ({choice.note})" if choice.note else ""
        show_line(console, f"  {number} {choice.label}{note}", "")
    drawn = time.monotonic()
    for _ in range(MAX_UNCLEAR_LINES):
        line = before + _read_line(console, choices)
        is_typed_before = bool(before) or _is_too_early(drawn)
        if reply := _find_reply(choices, line.strip(), is_typed_before=is_typed_before):
            return reply
        before = ""
        show_line(console, t("choice.lines.unclear"), "yellow")
    raise EOFError


def _find_reply(
    choices: Sequence[Choice], line: str, *, is_typed_before: bool
) -> ChoiceReply | None:
    last, is_free = choices[-1], choices[-1].is_free
    words = {choice.word.lower(): choice for choice in choices}
    if is_free:
        words |= {str(number): choice for number, choice in enumerate(choices[:-1], 1)}
    if choice := words.get(line.lower()):
        is_answer = not choice.needs_text and (choice is last or not is_typed_before)
        return ChoiceReply(choice.word) if is_answer else None
    return ChoiceReply(last.word, line) if len(line) > 1 or (is_free and line) else None


def _read_line(console: Console, choices: Sequence[Choice]) -> str:
    words = ", ".join(choice.word for choice in choices if not choice.needs_text)
    question = t("ask.reply") if choices[-1].is_free else t("choice.lines", words=words)
    return read_plain_line(console, question)


def _is_too_early(drawn: float) -> bool:
    """Return whether nobody can have read the question, of which a pipe knows nothing."""
    return is_terminal(sys.stdin) and time.monotonic() - drawn < AFTER_DRAWING


def _read_buffered_keys() -> str:
    """Take what a terminal holds: whole lines are dropped, the last one has not ended."""
    if not is_terminal(sys.stdin):
        return ""
    keys = sys.stdin.fileno()
    before = termios.tcgetattr(keys)
    raw = termios.tcgetattr(keys)
    raw[3] &= ~termios.ICANON
    typed = b""
    termios.tcsetattr(keys, termios.TCSANOW, raw)
    try:
        while select.select([keys], [], [], 0)[0] and (piece := os.read(keys, 4096)):
            typed += piece
    finally:
        termios.tcsetattr(keys, termios.TCSANOW, before)
    return typed.decode(errors="replace").replace("\r", "\n").rpartition("\n")[2]


def confirm(question: str) -> bool:
    """Return whether the answer is yes; what is asked so is permanent, so a yes needs Enter."""
    choices = [Choice("yes", t("choice.yes"), needs_enter=True), Choice("no", t("choice.no"))]
    return ask_choice(question, choices).word == "yes"


def ask_number(question: str) -> int:
    """Return a whole number; ask again after any other input."""
    with _open_prompt_console() as console:
        while not (reply := read_line(console, question)).isdecimal():
            show_line(console, t("key.number"), "yellow")
    return int(reply)


def ask_choice(question: str, choices: Sequence[Choice], leave: Leave = "cancel") -> ChoiceReply:
    """Return the word of the choice and what the user typed, which belongs to the last choice."""
    with _open_prompt_console() as console:
        return choose(console, question, choices, leave)


def choose(
    console: Console,
    question: str,
    choices: Sequence[Choice],
    leave: Leave = "later",
    *,
    rule: str = "",
    is_secret: bool = False,
) -> ChoiceReply:
    """Show the question and its choices, and afterwards the answer below it.

    `rule` is the style of a rule above; empty: it stands in a block that has one. `is_secret`: a
    text is a key, and never shown. Raises EOFError or KeyboardInterrupt if the user leaves the
    question open.
    """
    if not can_edit():
        show_line(console, f"\n{question}" if rule else question, "bold")
        return choose_from_lines(console, choices)
    from .choice_list import POINTER, choose_from_list
    from .sync_bridge import run_sync

    console.print()
    if rule:
        show_rule(console, rule)
    show_line(console, indent(question, MARGIN), "bold")
    leave_label = t(f"choice.leave.{leave}")
    reply = run_sync(choose_from_list(choices, leave_label, is_secret=is_secret))
    label = next(choice.label for choice in choices if choice.word == reply.word)
    if reply.text:
        label = t("choice.no") if reply.word == "no" else label
        label = t("labelled", label=label, said=HIDDEN if is_secret else reply.text)
    show_line(console, f"{MARGIN}{POINTER} {label}", "cyan")
    return reply


def confirm_abandon(why: str) -> bool:
    """Return whether to abandon an unfinished turn; otherwise it is resumed first.

    `why` names the reason why it is unfinished. Raises typer.Exit if the user does neither.
    """
    from ..i18n.message_translation import translate

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
def _open_prompt_console() -> Generator[Console]:
    console = open_console()
    try:
        yield console
    except (EOFError, KeyboardInterrupt):
        console.print()
        raise typer.Exit(INTERRUPTED) from None
