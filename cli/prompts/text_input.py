"""One line that the human types in answer to a question."""

import os
import sys
from typing import TYPE_CHECKING

from rich.console import Console

from ..rendering.console import rows_of, styled
from .interruptible_input import heard_line, is_terminal
from .sync_bridge import waited_for

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

ESCAPE_WAITS = 0.1
"""Seconds after which Esc is a key of its own and not the beginning of another one."""


def read(console: Console, prompt: str) -> str:
    """What was typed, without blanks around it; raises EOFError at the end of input.

    Esc and Ctrl-C, which turn away from the question, raise KeyboardInterrupt.
    """
    *above, last = rows_of(console, styled(prompt, "bold"))
    for row in above:
        console.print(row)
    if _can_edit():
        return waited_for(_line(last.plain).prompt_async()).strip()
    console.print(last, end=" ")
    return heard_line().strip()


def _can_edit() -> bool:
    """Whether keys can be read one by one, so that Esc is one."""
    can_paint = os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    return can_paint and is_terminal(sys.stdin) and is_terminal(sys.stderr)


def _line(prompt: str) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.output import create_output

    # a terminal that does not say where its cursor is would be told so by prompt_toolkit
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    keys = KeyBindings()

    @keys.add("escape")
    def _leave(event: "KeyPressEvent") -> None:
        event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    session: PromptSession[str] = PromptSession(
        [("bold", prompt), ("", " ")],
        key_bindings=keys,
        enable_suspend=True,
        output=create_output(sys.stderr),
    )
    session.app.ttimeoutlen = session.app.timeoutlen = ESCAPE_WAITS
    return session
