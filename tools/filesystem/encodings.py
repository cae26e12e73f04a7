"""Guessing the encoding of a file without a byte-order mark."""

import re

# bytes at the beginning from which a rare encoding is guessed
GUESSED_FROM = 64_000
# bytes beyond ASCII from which nothing can be guessed: mostly a Western name or sign
TOO_FEW = 4

# how Python reads bytes that are no text so that the very same are written back
STRAYS = "surrogateescape"
# where no encoding fits: all beyond ASCII are stray bytes, and no others can be written
UNKNOWN = "ascii"

# GB18030 holds all of Unicode, but a program that reads GBK does not: the narrower one first
_CHINESE = ("gbk", "gb18030")
# encodings that are guessed; among all that exist, a short text fits an absurd one best
_OTHERS = ("cp1252", "cp1251", "koi8_r", "cp932", "euc_jp", "cp949", "big5")


def guess_encoding(data: bytes) -> str:
    """Guess an encoding that gives back the same bytes; a few stray bytes may not fit it."""
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
    """Return whether nearly all beyond ASCII is punctuation or everyday characters of GB2312."""
    # punctuation is in rows A1 to A3, everyday characters in B0 to D7; other encodings, read as
    # GB18030, give rare characters
    characters = re.sub("[\0-\x7f]", "", data.decode("gb18030", STRAYS))
    rows = characters.encode("gb2312", "ignore")[::2]
    return sum(row <= 0xA3 or 0xB0 <= row <= 0xD7 for row in rows) >= 0.8 * len(characters)


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
