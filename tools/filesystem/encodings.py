"""Which encoding a file without a mark is in: only one that gives back the very same bytes."""

import re

GUESSED_FROM = 64_000
"""Bytes at the beginning from which a rare encoding is guessed."""
TOO_FEW = 4
"""Bytes beyond ASCII from which nothing can be guessed: mostly a Western name or sign."""

STRAYS = "surrogateescape"
"""How Python reads bytes that are no text so that the very same are written back."""
UNKNOWN = "ascii"
"""Where no encoding fits: all beyond ASCII are stray bytes, and no others can be written."""

_CHINESE = ("gbk", "gb18030")
"""GB18030 holds all of Unicode, but a program that reads GBK does not: the narrower one first."""
_OTHERS = ("cp1252", "cp1251", "koi8_r", "cp932", "euc_jp", "cp949", "big5")
"""Encodings that are guessed; among all that exist, a short text fits an absurd one best."""


def guess_encoding(data: bytes) -> str:
    """An encoding that gives back the very same bytes; where most fit it, others may be strays."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not _is_mostly_utf8(data):
            return _guess_legacy(data)
    return "utf-8"


def _guess_legacy(data: bytes) -> str:
    chinese = _is_chinese(data)
    for name in _CHINESE if chinese else _detect_encodings(data):
        if _can_round_trip(data, name, "strict"):
            return name
    return "gbk" if chinese and _can_round_trip(data, "gbk", STRAYS) else UNKNOWN


def _is_mostly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", STRAYS)
    stray = len(re.findall("[\udc80-\udcff]", text))
    beyond_ascii = len(re.findall(b"[^\0-\x7f]", data))
    return beyond_ascii > 2 * stray


def _is_chinese(data: bytes) -> bool:
    """Whether nearly all beyond ASCII is punctuation (rows A1 to A3) or everyday characters (B0 to
    D7) of GB2312; other encodings, read so, give rare characters.
    """
    found = re.sub("[\0-\x7f]", "", data.decode("gb18030", STRAYS))
    rows = found.encode("gb2312", "ignore")[::2]
    return sum(row <= 0xA3 or 0xB0 <= row <= 0xD7 for row in rows) >= 0.8 * len(found)


def _detect_encodings(data: bytes) -> list[str]:
    if len(re.findall(b"[^\0-\x7f]", data)) < TOO_FEW:
        return [_OTHERS[0]]
    from charset_normalizer import from_bytes

    best = from_bytes(data[:GUESSED_FROM], cp_isolation=list(_OTHERS)).best()
    return [name for name in _OTHERS if best and name in best.could_be_from_charset]


def _can_round_trip(data: bytes, encoding: str, on_error: str) -> bool:
    try:
        return data.decode(encoding, on_error).encode(encoding, on_error) == data
    except UnicodeError:
        return False
