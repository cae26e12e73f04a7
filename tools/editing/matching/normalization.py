"""Normalization of lines: blanks, quotes, dashes."""

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
    """Strip blanks at the end."""
    return line.rstrip()


def strip_line(line: str) -> str:
    """Strip blanks at both ends."""
    return line.strip()


def collapse_blanks(line: str) -> str:
    """Replace every run of blanks, of any kind, by one."""
    return " ".join(line.split())


def normalize_line(line: str) -> str:
    """Use plain quotes, dashes and blanks, and composed letters."""
    if not line.isascii():
        line = unicodedata.normalize("NFC", simplify_typography(line))
    return " ".join(line.split())


def simplify_typography(text: str) -> str:
    """Replace typographic quotes, dashes, blanks and dots by plain ones."""
    return text if text.isascii() else text.translate(_TABLE)


def indent_of(line: str) -> str:
    """Return the blanks at the line's beginning."""
    match = _INDENT.match(line)
    return match[0] if match else ""


def simplify_in_place(text: str) -> str:
    """Use plain quotes, dashes and blanks, with every letter at its offset."""
    return text if text.isascii() else text.translate(_ONE_TO_ONE)


def measure_indent(indent: str) -> int:
    """Measure an indentation in columns, a tab as four."""
    return len(indent.expandtabs(USUAL_UNIT))
