"""The one door for foreign text on its way to a terminal or a pipe."""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def safe(text: str) -> str:
    """Foreign text with control, bidi and zero-width characters made visible."""
    return _CONTROL.sub(_visible, text.replace("\r\n", "\n"))


def safe_line(text: str) -> str:
    """Foreign text as one line: any run of white space is one space."""
    return safe(" ".join(text.split()))


def _visible(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")
