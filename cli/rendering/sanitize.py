"""The one function that makes foreign text fit for a terminal: what could steer it is made visible.

Letters, symbols and emoji of every language stay as they are. What is escaped: control characters
(with ESC, CSI and OSC in both spellings), everything that turns the direction of text, everything
that takes no room or looks like none, lone surrogates, and heaps of accents. Each character is
judged by itself, so a sequence that is split over two pieces of a stream is escaped as well.
"""

import json
import re
import unicodedata
from collections.abc import Callable

from ...config.security.control_characters import CONTROL_CHARACTERS

_SYMBOLS = (
    "0-9#*\xa9\xae\u203c\u2049\u2122\u2139"  # keys and signs
    "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Behind a symbol, U+FE0E and U+FE0F choose between a letter and a picture: `⚠` or `⚠️`
_VISIBLE = re.compile(f"[{CONTROL_CHARACTERS}]|(?<![{_SYMBOLS}])[\ufe0e\ufe0f]")
# Where a heap of accents can be: Python's `\w` has no accents in it
_HEAP = re.compile(r"[^\w\s\x00-\x7f]{9,}")
# On one letter; no language needs more, and a heap paints over the lines above
MOST_ACCENTS = 8


def sanitize_text(text: str) -> str:
    """Foreign text in which nothing can steer a terminal or hide."""
    if text.isascii() and text.isprintable():
        return text
    return _escape_text(text.replace("\r\n", "\n"), _escape_unicode)


def sanitize_line(text: str) -> str:
    """Foreign text as one line: any run of white space is one space."""
    return sanitize_text(" ".join(text.split()))


def to_safe_json(value: object, indent: int | None = None) -> str:
    """A value as JSON that reads the same, though nothing in it can steer a terminal or hide."""
    return _escape_text(
        json.dumps(value, indent=indent, ensure_ascii=False, default=str), _escape_json
    )


def _escape_text(text: str, spelled: Callable[[str], str]) -> str:
    text = _VISIBLE.sub(lambda match: spelled(match.group()), text)
    return _HEAP.sub(lambda match: _flatten_accents(match.group(), spelled), text)


def _escape_unicode(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _escape_json(char: str) -> str:
    return "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]


def _flatten_accents(marks: str, spelled: Callable[[str], str]) -> str:
    """The text with the accents beyond `MOST_ACCENTS` on one letter spelled out."""
    shown: list[str] = []
    heap = 0
    for char in marks:
        heap = heap + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        shown.append(char if heap <= MOST_ACCENTS else spelled(char))
    return "".join(shown)
