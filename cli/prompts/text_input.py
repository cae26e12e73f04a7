"""Input of one line in answer to a question."""

import asyncio
import os
import sys
import termios
from collections.abc import Collection
from typing import TYPE_CHECKING

from rich.console import Console

from ...config.security.secrets.detection import find_secrets
from ...config.security.secrets.plausibility import is_key
from ..rendering.console import style_text, wrap_for_console
from .interruptible_input import is_terminal, read_stdin_line
from .sync_bridge import run_sync
from .terminal_echo import shown_echo

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

# Seconds after which Esc is a key of its own and not the beginning of a sequence
ESCAPE_WAITS = 0.1
# Seconds of quiet after which a key is not the beginning of a word
WORD_WAITS = 0.25


def read_line(console: Console, prompt: str, keys: Collection[str] = ()) -> str:
    """Return the line without surrounding blanks; raise EOFError at the end of input.

    Esc and Ctrl-C, which abort the question, raise KeyboardInterrupt. At a terminal each of `keys`
    is an answer by itself, without Enter, if it is the first key after the question appears.
    """
    *above, last = wrap_for_console(console, style_text(prompt, "bold"))
    line = _create_session(last.plain, keys) if can_edit() else None
    for row in above:
        console.print(row)
    if line:
        return run_sync(line.prompt_async()).strip()
    console.print(last, end=" ")
    with shown_echo():
        return read_stdin_line().strip()


def discard_typeahead() -> None:
    """Drop what was typed during a run: it does not answer a question that follows."""
    if is_terminal(sys.stdin):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def holds_key(typed: str) -> bool:
    """Return whether a typed text has a key, which no question shows."""
    return bool(find_secrets(typed)) or is_key(typed.strip(), is_quoted=True)


def can_edit() -> bool:
    """Return whether keys can be read one by one, so that Esc is a key."""
    can_paint = os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    return can_paint and is_terminal(sys.stdin) and is_terminal(sys.stderr)


def _create_session(prompt: str, one_key: Collection[str]) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.output import create_output

    # prompt_toolkit would warn about a terminal that does not report its cursor position
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    session: PromptSession[str] = PromptSession(
        [("bold", prompt), ("", " ")],
        is_password=Condition(lambda: holds_key(get_app().current_buffer.text)),
        key_bindings=_build_bindings(one_key),
        enable_suspend=True,
        output=create_output(sys.stderr),
    )
    session.app.ttimeoutlen = session.app.timeoutlen = ESCAPE_WAITS
    return session


def _build_bindings(one_key: Collection[str]) -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("escape")
    def _abort_prompt(event: "KeyPressEvent") -> None:
        event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    if one_key:
        _bind_single_keys(keys, one_key)
    return keys


def _bind_single_keys(keys: "KeyBindings", one_key: Collection[str]) -> None:
    """Accept each key as an answer; drop the rest of its word up to Enter (the `o` of `no`)."""
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition

    is_empty = Condition(lambda: not get_app().current_buffer.text)
    is_answered = Condition(lambda: get_app().current_buffer.text in one_key)
    waiting: list[asyncio.Task[None]] = []

    def _accept_later(event: "KeyPressEvent") -> None:
        for task in waiting:
            task.cancel()
        waiting[:] = [event.app.create_background_task(_accept_soon(event.current_buffer))]

    def _insert_answer(event: "KeyPressEvent") -> None:
        event.current_buffer.insert_text(event.data)  # the screen shows the answer
        _accept_later(event)

    def _ignore_enter(event: "KeyPressEvent") -> None:
        """Ignore an Enter that belongs to an earlier answer."""

    for key in one_key:
        keys.add(key, filter=is_empty)(_insert_answer)
    keys.add("enter", filter=is_empty)(_ignore_enter)
    for rest in ("<any>", "<bracketed-paste>"):
        keys.add(rest, filter=is_answered)(_accept_later)


async def _accept_soon(answer: "Buffer") -> None:
    """Accept the answer after a pause, unless it has been deleted."""
    await asyncio.sleep(WORD_WAITS)
    if answer.text:
        answer.validate_and_handle()
