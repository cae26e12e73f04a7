"""Escape codes for the terminal's window: its title, a bell, a notification, its clipboard."""

import base64
from collections.abc import Callable

from ...rendering.sanitize import sanitize_line

# Seconds of a turn from which its end rings the bell
LONG = 10.0
MAX_TITLE_LENGTH = 60
# Bytes of a text for the clipboard; terminals drop a longer code
MAX_COPIED = 74_000
_BELL = "\a"

Write = Callable[[str], None]


def build_title_code(words: str) -> str:
    """Return the code that sets the title of the window or tab."""
    return f"\x1b]0;{_clean_text(words)}{_BELL}"


def build_notification_code(words: str) -> str:
    """Return a bell, and a notification for terminals that support it (OSC 9)."""
    return f"\x1b]9;{_clean_text(words)}{_BELL}{_BELL}"


def build_copy_code(text: str) -> str:
    """Return the code that puts the text on the clipboard (OSC 52), also through SSH."""
    return f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}{_BELL}"


def _clean_text(words: str) -> str:
    return sanitize_line(words)[:MAX_TITLE_LENGTH]
