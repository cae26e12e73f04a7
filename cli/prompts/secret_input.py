"""Input of a key: not shown, and a pasted one needs no Enter."""

import os
import sys
from getpass import getpass
from typing import TYPE_CHECKING

from rich.console import Console

from ..rendering.console import style_text, wrap_for_console
from .sync_bridge import run_sync
from .text_input import ESCAPE_WAITS, can_edit

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

# Characters that are shown as typed: the number of a choice
SHOWN = 2
# Characters from which on a pasted text is taken as it is
WHOLE = 16


def read_secret(console: Console, prompt: str) -> str:
    """Return what was typed or pasted, without blanks around it; raise as `read_line` does."""
    *above, last = wrap_for_console(console, style_text(prompt, "bold"))
    for row in above:
        console.print(row)
    if can_edit():
        return run_sync(_prompt(last.plain)).strip()
    return getpass(f"{last.plain} ", stream=sys.stderr).strip()


async def _prompt(prompt: str) -> str:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.output import create_output

    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    session: PromptSession[str] = PromptSession(
        [("bold", prompt), ("", " ")],
        is_password=Condition(lambda: len(get_app().current_buffer.text) > SHOWN),
        key_bindings=_build_bindings(),
        enable_suspend=True,
        output=create_output(sys.stderr),
    )
    session.app.ttimeoutlen = session.app.timeoutlen = ESCAPE_WAITS
    return await session.prompt_async()


def _build_bindings() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("escape")
    def _abort_prompt(event: "KeyPressEvent") -> None:
        event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    @keys.add("<bracketed-paste>")
    def _take_paste(event: "KeyPressEvent") -> None:
        pasted = event.data.strip()
        event.current_buffer.insert_text(pasted)
        if len(pasted) >= WHOLE:
            event.current_buffer.validate_and_handle()

    return keys
