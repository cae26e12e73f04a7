"""Escape codes for the terminal's window: its title, a bell, a notification, its clipboard."""

import base64
import os
import re
from collections.abc import Callable, Mapping
from typing import Literal

from ...rendering.sanitize import sanitize_line

# Seconds of a turn from which its end rings the bell
LONG = 10.0
MAX_TITLE_LENGTH = 60
# Bytes of a text for the clipboard; terminals drop a longer code
MAX_COPIED = 74_000
# An older one shows OSC 9;4 as a notification
ITERM_WITH_PROGRESS = [3, 6, 6]
_BELL = "\a"

Write = Callable[[str], None]


def build_title_code(words: str) -> str:
    """Return the code that sets the title of the window or tab."""
    return f"\x1b]0;{_clean_text(words)}{_BELL}"


def build_notification_code(words: str) -> str:
    """Return a bell, and a notification for terminals that support it (OSC 9)."""
    return f"\x1b]9;{_clean_text(words)}{_BELL}{_BELL}"


def build_progress_code(state: Literal["busy", "none"], percent: int = 0) -> str:
    """Return the code that shows progress at the tab or in the task bar (OSC 9;4).

    Empty for terminals that would show it as a notification instead. Without `percent` it is only
    shown that something goes on.
    """
    if not shows_progress(os.environ):
        return ""
    if state == "none":
        return f"\x1b]9;4;0;0{_BELL}"
    return f"\x1b]9;4;1;{percent}{_BELL}" if percent else f"\x1b]9;4;3;0{_BELL}"


def shows_progress(environ: Mapping[str, str]) -> bool:
    """Return whether this terminal is known to show progress."""
    program = environ.get("TERM_PROGRAM", "")
    if program == "iTerm.app":
        version = re.findall(r"\d+", environ.get("TERM_PROGRAM_VERSION", ""))
        return [int(number) for number in version] >= ITERM_WITH_PROGRESS
    is_windows = "WT_SESSION" in environ or environ.get("ConEmuANSI") == "ON"
    return is_windows or program in ("ghostty", "WezTerm")


def build_copy_code(text: str) -> str:
    """Return the code that puts the text on the clipboard (OSC 52), also through SSH."""
    return f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}{_BELL}"


def _clean_text(words: str) -> str:
    return sanitize_line(words)[:MAX_TITLE_LENGTH]
