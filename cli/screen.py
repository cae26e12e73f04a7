"""What reaches the terminal: one console for stderr, and the one door for foreign text."""

import re

from rich.console import Console
from rich.text import Text

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def safe(text: str) -> str:
    """Foreign text with control, bidi and zero-width characters made visible."""
    return CONTROL.sub(_visible, text.replace("\r\n", "\n"))


def open_console() -> Console:
    """A console on stderr that neither guesses styles nor wraps; `NO_COLOR` and pipes are plain."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def styled(text: str, style: str) -> Text:
    """Foreign text in one style."""
    return Text(safe(text), style=style)


def _visible(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")
