"""What the terminal's window is told besides text: its title, a bell, a notification."""

from collections.abc import Callable

from ...rendering.sanitize import sanitize_line

# Seconds of a turn whose end is worth a bell
LONG = 10.0
LONGEST_TITLE = 60
_BELL = "\a"

Write = Callable[[str], None]


def build_title_code(words: str) -> str:
    """What sets the title of the window, or of the tab."""
    return f"\x1b]0;{_clean_text(words)}{_BELL}"


def build_notification_code(words: str) -> str:
    """A bell, and a notification where the terminal has such (OSC 9)."""
    return f"\x1b]9;{_clean_text(words)}{_BELL}{_BELL}"


def _clean_text(words: str) -> str:
    return sanitize_line(words)[:LONGEST_TITLE]
