"""Questions with a choice: a list at a terminal, lines where nothing can be redrawn.

Ctrl-C and Ctrl-D end the command as interrupted.
"""

import os
import select
import sys
import termios
import time
from collections.abc import Callable, Collection, Container, Generator, Sequence
from contextlib import contextmanager
from textwrap import indent
from typing import Literal

import typer
from rich.console import Console

from ...config.exit_codes import INTERRUPTED
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..rendering.console import MARGIN, open_console, show_line, show_rule, write_captured
from .choice_keys import (
    AFTER_DRAWING,
    Choice,
    ChoiceReply,
    QuestionHead,
    find_words,
    fold_word,
)
from .interruptible_input import is_terminal
from .sync_bridge import run_sync
from .text_input import can_edit, read_line, read_plain_line

# Lines that are no answer, after which a pipe has none
MAX_UNCLEAR_LINES = 100
# Choices that are shown at first, and the word of the row that shows the others
MAX_CHOICES, MORE = 4, "more"
# Stands for a secret
HIDDEN = "••••••••"
# What Esc does at a question
Leave = Literal["later", "exit", "back", "cancel"]


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
    answers = find_words(choices)
    if is_free:
        answers |= {str(number): choice.word for number, choice in enumerate(choices[:-1], 1)}
    word = answers.get(fold_word(line)) if line else None
    if choice := next((each for each in choices if each.word == word), None):
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


def ask_label(question: str, labels: Container[str], unknown: str) -> str:
    """Return one of the labels; say what is `unknown` and ask again after any other input."""
    with _open_prompt_console() as console:
        while (reply := read_line(console, question).strip()) not in labels:
            show_line(console, unknown, "yellow")
    return reply


def ask_choice(
    question: str,
    choices: Sequence[Choice],
    leave: Leave = "cancel",
    show: Callable[[Console], None] | None = None,
) -> ChoiceReply:
    """Return the word of the choice and what the user typed, which belongs to the last choice.

    What `show` prints is what the question is about; it vanishes with the answer, of which the
    caller says what was decided.
    """
    with _open_prompt_console() as console:
        if show is None:
            return choose(console, question, choices, leave)
        return choose_below(console, show, question, choices, leave)


def choose_below(
    console: Console,
    show: Callable[[Console], None],
    question: str,
    choices: Sequence[Choice],
    leave: Leave,
    *,
    is_secret: bool = False,
) -> ChoiceReply:
    """Ask below what a function shows; both vanish with the answer, if the screen holds them."""

    def show_all() -> bool:
        show(console)
        return True

    head, _ = hold_request(console, show_all)
    answers = [choice.word for choice in choices]
    return choose(
        console, question, choices, leave, is_secret=is_secret, request=head, unshown=answers
    )


def choose(
    console: Console,
    question: str,
    choices: Sequence[Choice],
    leave: Leave = "later",
    *,
    rule: str = "",
    is_secret: bool = False,
    request: QuestionHead | None = None,
    unshown: Collection[str] = (),
) -> ChoiceReply:
    """Show the question and its choices, and afterwards the answer below it.

    `rule` is the style of a rule above; empty: it stands in a block that has one. `is_secret`: a
    text is a key, and never shown. `request` is what the question is about: it vanishes with the
    question, and answers in `unshown`, which the action itself shows, leave no row behind. Raises
    EOFError or KeyboardInterrupt if the user leaves the question open.
    """
    if not can_edit():
        show_line(console, f"\n{question}" if rule else question, "bold")
        return choose_from_lines(console, choices)
    from .choice_list import choose_from_list

    with console.capture() as question_rows:
        console.print()
        if rule:
            show_rule(console, rule)
        show_line(console, indent(question, MARGIN), "bold")
    if request is None:
        write_captured(console, question_rows.get())
    else:
        request.rows += question_rows.get()
    leave_label = t(f"choice.leave.{leave}")

    def ask(offered: Sequence[Choice]) -> ChoiceReply:
        asking = choose_from_list(offered, leave_label, is_secret=is_secret, head=request)
        return run_sync(asking)

    reply = ask(folded := fold_choices(choices))
    if folded is not choices and reply.word == MORE:
        reply = ask(choices)
    if request is None or request.is_kept or reply.word not in unshown:
        _show_reply(console, choices, reply, is_secret=is_secret)
    return reply


def _show_reply(
    console: Console, choices: Sequence[Choice], reply: ChoiceReply, *, is_secret: bool
) -> None:
    label = next(choice.label for choice in choices if choice.word == reply.word)
    if reply.text:
        label = t("choice.no") if reply.word == "no" else label
        label = t("labelled", label=label, said=HIDDEN if is_secret else reply.text)
    show_line(console, f"{MARGIN}❯ {label}", "cyan")


def fold_choices(choices: Sequence[Choice]) -> Sequence[Choice]:
    """Return at most four choices: what is rare stands behind a row `more`, before the last one."""
    if len(choices) <= MAX_CHOICES or not any(choice.is_rare for choice in choices):
        return choices
    common = [choice for choice in choices[:-1] if not choice.is_rare]
    rare_names = [t(f"choice.more.{choice.word}") for choice in choices if choice.is_rare]
    return [*common, Choice(MORE, t("choice.more"), note=" · ".join(rare_names)), choices[-1]]


def hold_request(console: Console, show: Callable[[], bool]) -> tuple[QuestionHead, bool]:
    """Return what a function shows, as the head of a question, and whether it fits the screen.

    What does not fit, or cannot be removed again, is printed at once.
    """
    with console.capture() as rows:
        fits = show()
    if fits and can_edit():
        return QuestionHead(rows.get()), fits
    write_captured(console, rows.get())
    return QuestionHead("", is_kept=True), fits


def confirm_abandon(why: str) -> bool:
    """Return whether to abandon an unfinished turn; otherwise it is resumed first.

    `why` names the reason why it is unfinished. Raises typer.Exit if the user does neither.
    """
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
