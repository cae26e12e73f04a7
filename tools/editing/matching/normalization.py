"""What of a line is compared: ever less of its blanks and its typography."""

import re
import unicodedata
from collections.abc import Callable

Key = Callable[[str], str]

TAB = "\t"
# columns of a step of indentation where nothing else is known
USUAL_UNIT = 4

SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
BLANKS = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"

# typographic characters, and what a keyboard has for them
SPELLINGS = {
    **dict.fromkeys(SINGLE_QUOTES, "'"),
    **dict.fromkeys(DOUBLE_QUOTES, '"'),
    **dict.fromkeys(DASHES, "-"),
    **dict.fromkeys(BLANKS, " "),
    **dict.fromkeys(INVISIBLE, ""),
    "\u2026": "...",
}

_TABLE = str.maketrans(SPELLINGS)
_ONE_TO_ONE = str.maketrans({a: b for a, b in SPELLINGS.items() if len(b) == 1})
_INDENT = re.compile(r"[^\S\n]*")


def strip_line_end(line: str) -> str:
    """The line without blanks at its end."""
    return line.rstrip()


def strip_line(line: str) -> str:
    """The line without blanks at its ends."""
    return line.strip()


def collapse_blanks(line: str) -> str:
    """The line with every run of blanks, whichever they are, as one."""
    return " ".join(line.split())


def normalize_line(line: str) -> str:
    """The line with plain quotes, dashes and blanks, and letters composed."""
    if not line.isascii():
        line = unicodedata.normalize("NFC", simplify_typography(line))
    return " ".join(line.split())


def simplify_typography(text: str) -> str:
    """The text with typographic quotes, dashes, blanks and dots as a keyboard has them."""
    return text if text.isascii() else text.translate(_TABLE)


def indent_of(line: str) -> str:
    """The blanks at the line's beginning."""
    found = _INDENT.match(line)
    return found[0] if found else ""


def simplify_in_place(text: str) -> str:
    """The text with plain quotes, dashes and blanks, each letter where it was."""
    return text if text.isascii() else text.translate(_ONE_TO_ONE)


def measure_indent(indent: str) -> int:
    """How wide an indentation is, a tab as four."""
    return len(indent.expandtabs(USUAL_UNIT))
