"""Variants of a name on other file systems, for rules that protect names."""

import re
import unicodedata
from typing import Literal

# File systems differ: some ignore case or the forms of Unicode, some drop invisible characters or
# the blanks and dots at a name's end, some read `\\` as `/`.
_AMBIGUOUS = re.compile(r"[^ -~]|[\\:]|[ .](?:/|\Z)|(?:\A|/) ")


def is_plain(name: str) -> bool:
    """Whether the lower case of a name is its only variant."""
    return not _AMBIGUOUS.search(name)


def fold_name(name: str) -> str:
    """One spelling for names that differ in case or in Unicode form, or hold line breaks."""
    return _normalize_unicode("NFC", name).replace("\n", " ").replace("\r", " ")


def to_canonical_path(path: str) -> str:
    """Reduce the name to the plainest one that any file system could take it for."""
    if not _AMBIGUOUS.search(path):
        return path.lower()
    seen = "".join(letter for letter in path if unicodedata.category(letter) != "Cf")
    return "/".join(map(_strip_part, re.split(r"[/\\]", _normalize_unicode("NFKC", seen))))


def list_variants(path: str) -> tuple[str, ...]:
    """List the variants of a name, folded; nearly all names have one."""
    first, second = fold_name(path), to_canonical_path(path)
    return (first,) if first == second else (first, second)


def _normalize_unicode(form: Literal["NFC", "NFKC"], name: str) -> str:
    """Normalize a name's case and Unicode form."""
    if name.isascii():
        return name.lower()
    apart = unicodedata.normalize("NFD" if form == "NFC" else "NFKD", name)
    return unicodedata.normalize(form, apart.casefold())


def _strip_part(part: str) -> str:
    """Strip blanks, dots at the end, and a stream, as in `name::$DATA`."""
    name = part.partition(":")[0] or part
    return " ".join(name.split()).rstrip(". ") or part
