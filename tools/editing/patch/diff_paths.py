"""File names in the headers of a diff: quoted, with prefixes, with time stamps."""

import re

from ...result import ToolError

NO_FILE = "/dev/null"

_TIME = re.compile(r"(?<![ \t])[ \t]++\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = dict(zip((b"%c" % letter for letter in b"abtnvfr"), b"\a\b\t\n\v\f\r", strict=True))
_PREFIX = re.compile(r"([abciow])/(?=.)")


def parse_header_name(rest: str) -> str:
    """Parse the name after `--- `, `+++ ` or `rename from `."""
    if quoted := _QUOTED.match(rest):
        return _unquote_name(quoted[1])
    return _TIME.sub("", rest.split("\t")[0]).rstrip()


def without_prefixes(old: str, new: str) -> tuple[str, str]:
    """Remove the prefixes `a/` and `b/`, or other pairs of git, if both names have them."""
    first, second = _PREFIX.match(old), _PREFIX.match(new)
    if first and second and first[1] != second[1]:
        return old[2:], new[2:]
    if old == NO_FILE and new.startswith("b/") and second:
        return old, new[2:]
    if new == NO_FILE and old.startswith("a/") and first:
        return old[2:], new
    return old, new


def parse_git_names(rest: str) -> tuple[str, str] | None:
    """Parse the two names after `diff --git `; None if it is not clear where one ends."""
    if quoted := _QUOTED.match(rest):
        return without_prefixes(
            _unquote_name(quoted[1]), parse_header_name(rest[quoted.end() + 1 :])
        )
    if rest.endswith('"') and ' "' in rest:
        first, _, second = rest.partition(' "')
        return without_prefixes(first, parse_header_name('"' + second))
    middle = len(rest) // 2  # both names are the same, or the lines below name them
    if rest[middle : middle + 1] != " ":
        return None
    old, new = without_prefixes(rest[:middle], rest[middle + 1 :])
    return (old, new) if old == new else None


def _unquote_name(name: str) -> str:
    """Unquote a name that git wrote as a C string, with bytes in octal."""
    try:
        return _ESCAPE.sub(_unescape_byte, name.encode()).decode()
    except (UnicodeError, ValueError) as error:
        raise ToolError(f"the quoted name {name!r} in the patch cannot be read") from error


def _unescape_byte(escape: re.Match[bytes]) -> bytes:
    letter = escape[1]
    return bytes([int(letter, 8) if len(letter) == 3 else _LETTERS.get(letter, letter[0])])
