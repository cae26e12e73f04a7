"""What the terminal's window is told besides text: its title, a bell, a notification."""

from collections.abc import Callable

from ...rendering.sanitize import safe_line

LONG = 10.0
"""Seconds of a turn whose end is worth a bell."""
LONGEST_TITLE = 60
_BELL = "\a"

Write = Callable[[str], None]


def titled(words: str) -> str:
    """What sets the title of the window, or of the tab."""
    return f"\x1b]0;{_plain(words)}{_BELL}"


def notified(words: str) -> str:
    """A bell, and a notification where the terminal has such (OSC 9)."""
    return f"\x1b]9;{_plain(words)}{_BELL}{_BELL}"


def _plain(words: str) -> str:
    return safe_line(words)[:LONGEST_TITLE]
