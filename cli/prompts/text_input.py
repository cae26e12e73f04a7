"""Input of one line in answer to a question."""

import os
import sys
import termios
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ...config.security.secrets.detection import find_secrets
from ...config.security.secrets.plausibility import is_key
from ..rendering.console import style_text, wrap_for_console
from .interruptible_input import bind_suspension, is_terminal, read_stdin_line
from .sync_bridge import run_sync
from .terminal_echo import shown_echo

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

# Seconds after which Esc is a key of its own and not the beginning of a sequence
ESCAPE_WAITS = 0.1


def read_line(console: Console, prompt: str) -> str:
    """Return the line without surrounding blanks; raise EOFError at the end of input.

    Esc and Ctrl-C, which abort the question, raise KeyboardInterrupt.
    """
    if not can_edit():
        return read_plain_line(console, prompt).strip()
    session = _create_session(_show_rows_above(console, prompt).plain)
    return run_sync(session.prompt_async()).strip()


async def read_line_meanwhile(console: Console, prompt: str) -> str:
    """Return the line as `read_line` does, while the loop goes on where keys can be read."""
    if not can_edit():
        return read_line(console, prompt)
    session = _create_session(_show_rows_above(console, prompt).plain)
    return (await session.prompt_async()).strip()


def read_plain_line(console: Console, prompt: str) -> str:
    """Return the line where nothing can be redrawn; raise EOFError at the end of input."""
    last = _show_rows_above(console, prompt)
    console.print(last, end=" ")
    with shown_echo():
        return read_stdin_line()


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


def _show_rows_above(console: Console, prompt: str) -> Text:
    """Show all rows of the prompt but the last, which is returned."""
    *above, last = wrap_for_console(console, style_text(prompt, "bold"))
    for row in above:
        console.print(row)
    return last


def _create_session(prompt: str) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.output import create_output

    # prompt_toolkit would warn about a terminal that does not report its cursor position
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    session: PromptSession[str] = PromptSession(
        [("bold", prompt), ("", " ")],
        is_password=Condition(lambda: holds_key(get_app().current_buffer.text)),
        key_bindings=_build_bindings(),
        output=create_output(sys.stderr),
    )
    session.app.ttimeoutlen = session.app.timeoutlen = ESCAPE_WAITS
    return session


def _build_bindings() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()
    bind_suspension(keys)

    @keys.add("escape")
    def _abort_prompt(event: "KeyPressEvent") -> None:
        event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    return keys
