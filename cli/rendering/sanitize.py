"""Sanitizing of foreign text for a terminal: characters that could control it become visible.

Letters, symbols and emoji of every language do not change. Escaped are control characters (with
ESC, CSI and OSC in both encodings), all that change the direction of text, all that take no room or
look like none, lone surrogates, and piles of accents. No sequence is searched for, so one that is
split over two pieces of a stream is escaped as well. A joiner is kept where its neighbours show it,
but not in what runs or is approved: there `escape_hidden` is for.
"""

import json
import re
import unicodedata
from collections.abc import Callable

from ...config.security.control_characters import CONTROL_CHARACTERS, HIDDEN_CHARACTER, SYMBOLS

# After a symbol, U+FE0E and U+FE0F choose between a letter and a picture: `⚠` or `⚠️`
_STRAY = f"(?<![{SYMBOLS}])[\ufe0e\ufe0f]"
_HIDDEN = re.compile(f"{HIDDEN_CHARACTER}|{_STRAY}")
_CONTROL = re.compile(f"[{CONTROL_CHARACTERS}]|{_STRAY}")
# Where a heap of accents can be: Python's `\w` has no accents in it
_HEAP = re.compile(r"[^\w\s\x00-\x7f]{9,}")
# Most accents on one letter; no language needs more, and a pile covers the lines above
MAX_ACCENTS = 8


def sanitize_text(text: str) -> str:
    """Return foreign text in which nothing can control a terminal or hide."""
    if text.isascii() and text.isprintable():
        return text
    return _escape_text(text.replace("\r\n", "\n"), _escape_unicode)


def escape_hidden(text: str) -> str:
    """Return a command, an address or an argument with joiners escaped, too, in all scripts."""
    if text.isascii():  # the rest is left to `sanitize_text`
        return text
    return _CONTROL.sub(lambda match: _escape_unicode(match.group()), text)


def sanitize_line(text: str) -> str:
    """Return foreign text as one line: each run of white space becomes one space."""
    return sanitize_text(" ".join(text.split()))


def to_safe_json(value: object, indent: int | None = None) -> str:
    """Return JSON of the same value in which nothing can control a terminal or hide."""
    return _escape_text(
        json.dumps(value, indent=indent, ensure_ascii=False, default=str), _escape_json
    )


def _escape_text(text: str, spelled: Callable[[str], str]) -> str:
    text = _HIDDEN.sub(lambda match: spelled(match.group()), text)
    return _HEAP.sub(lambda match: _flatten_accents(match.group(), spelled), text)


def _escape_unicode(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _escape_json(char: str) -> str:
    return "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]


def _flatten_accents(marks: str, spelled: Callable[[str], str]) -> str:
    """Return the text with the accents beyond `MAX_ACCENTS` on one letter escaped."""
    characters: list[str] = []
    heap = 0
    for char in marks:
        heap = heap + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        characters.append(char if heap <= MAX_ACCENTS else spelled(char))
    return "".join(characters)
