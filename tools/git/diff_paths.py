"""Paths as git's diffs and lists show them."""

import re

_ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f"}


def parse_diff_path(quoted_path: str) -> str:
    """Return the path after `+++ `, without `b/`."""
    return unquote_path(quoted_path.rstrip("\t\r")).removeprefix("b/")


def unquote_path(quoted_path: str) -> str:
    """Return a path that git may have quoted for its special characters."""
    if len(quoted_path) > 1 and quoted_path.startswith('"') and quoted_path.endswith('"'):
        plain = _ESCAPED.sub(_unescape, quoted_path[1:-1].encode())
        quoted_path = plain.decode(errors="surrogateescape")
    return quoted_path


def _unescape(match: re.Match[bytes]) -> bytes:
    letter = match[1]
    return bytes([int(letter, 8) & 255]) if len(letter) == 3 else _LETTERS.get(letter, letter)
