"""Names as other file systems may read them, so that no odd spelling of a name passes for another.

Some take upper and lower case for the same, some the forms of Unicode, some drop invisible
characters, some the blanks and dots at a name's end, or take `\\` for `/`. Whoever keeps a name
from being touched compares all of its spellings.
"""

import re
import unicodedata
from typing import Literal

_AMBIGUOUS = re.compile(r"[^ -~]|[\\:]|[ .](?:/|\Z)|(?:\A|/) ")
"""What makes a name one that could be read in another way, but for case."""


def is_plain(name: str) -> bool:
    """Whether the lower case of a name is its only spelling."""
    return not _AMBIGUOUS.search(name)


def fold_name(name: str) -> str:
    """One spelling for names that differ in case or in Unicode form, or hold line breaks."""
    return _normalize_unicode("NFC", name).replace("\n", " ").replace("\r", " ")


def to_canonical_path(path: str) -> str:
    """The plainest name that any file system could take this one for, part by part."""
    if not _AMBIGUOUS.search(path):
        return path.lower()
    seen = "".join(letter for letter in path if unicodedata.category(letter) != "Cf")
    return "/".join(map(_strip_part, re.split(r"[/\\]", _normalize_unicode("NFKC", seen))))


def list_variants(path: str) -> tuple[str, ...]:
    """The ways to read a name, folded: one for nearly all names."""
    first, second = fold_name(path), to_canonical_path(path)
    return (first,) if first == second else (first, second)


def _normalize_unicode(form: Literal["NFC", "NFKC"], name: str) -> str:
    """Without case, in one Unicode form."""
    if name.isascii():
        return name.lower()
    apart = unicodedata.normalize("NFD" if form == "NFC" else "NFKD", name)
    return unicodedata.normalize(form, apart.casefold())


def _strip_part(part: str) -> str:
    """Without blanks around it, dots at its end, or a stream of it as in `name::$DATA`."""
    name = part.partition(":")[0] or part
    return " ".join(name.split()).rstrip(". ") or part
