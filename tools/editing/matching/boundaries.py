"""Word boundaries and indentation at the ends of a match."""

import re
import unicodedata
from string import digits, hexdigits

from .normalization import indent_of

# names of files in which indentation has a meaning
INDENTED = re.compile(
    r".+\.(py[ixd]?|pyw|ya?ml|coffee|nim|gd|l?hs|elm|fsx?|pug|sass|styl|haml|slim|rst|robot|feature)",
    re.IGNORECASE,
)
# most blanks before a text that are checked
MAX_INDENT = 400
# of scripts that part words by blanks; Chinese and others do not
_LETTERS = ("Lu", "Ll", "Lt", "Lm", "Nd", "Nl")


def is_word_split(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text begins or ends within a word."""
    return _is_within_word(text, start) or _is_within_word(text, end)


def is_number_split(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text begins or ends within a number."""
    inner = [at for at in (start, end) if 0 < at < len(text)]
    return any(text[at - 1 : at + 1].isdecimal() for at in inner)


def is_indentation_cut(text: str, start: int) -> bool:
    """Return whether a part of a text begins within an indentation."""
    return text[start : start + 1] in (" ", "\t") and bool(indent_before(text, start))


def indent_before(text: str, start: int) -> str:
    """Return the indentation before a place; empty if anything else stands there."""
    begin = text.rfind("\n", max(start - MAX_INDENT, 0), start) + 1
    before = text[begin:start]
    return before if len(before) < MAX_INDENT and not before.strip(" \t") else ""


def is_indented(name: str) -> bool:
    """Return whether indentation has a meaning in a file of this name."""
    return INDENTED.fullmatch(name) is not None


def has_own_depth(indent: str, old: str, new: str) -> bool:
    """Return whether new lines below the first are not indented as the file's line is."""
    # the old text is one line without its indentation: either all new lines lack it, or the first
    first, *rest = new.split("\n")
    filled = [line for line in rest if line.strip()]
    if "\n" in old.removesuffix("\n") or not indent or not filled:
        return False
    nested = first.rstrip().endswith(":") and indent_of(filled[0]) == indent
    return nested or not all(line.startswith(indent) for line in filled)


def _is_within_word(text: str, at: int) -> bool:
    """Return whether a place is within a word, of which the letter of an escape is not part."""
    if not 0 < at < len(text) or not (_is_of_word(text[at - 1]) and _is_of_word(text[at])):
        return False
    return not _ends_escape(text, at)


def _ends_escape(text: str, at: int) -> bool:
    r"""Whether the character before a place completes an escape, as the `n` of `\n` does."""
    before = text[max(at - 1 - MAX_INDENT, 0) : at - 1]
    if (len(before) - len(before.rstrip("\\"))) % 2 == 0:  # a pair is a backslash itself
        return False
    letter, following = text[at - 1], text[at]
    # `\xbd`, `\u00e4` and `\012` go on
    return following not in (hexdigits if letter in "xuU" else digits if letter in digits else "")


def _is_of_word(letter: str) -> bool:
    return letter == "_" or unicodedata.category(letter) in _LETTERS
