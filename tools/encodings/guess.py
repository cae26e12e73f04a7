"""Guessing the encoding of a file without a byte-order mark, only where its bytes prove it."""

import re
from functools import lru_cache

# bytes of lines beyond ASCII from which an encoding is guessed
SAMPLE_BYTES = 4_000
# how much likelier the text must be than each other that the bytes may be, as a logarithm
MARGIN = 10.0

# encodings that are seldom met today: those of DOS, of old Macintoshes, of few speakers
_RARE = re.compile(r"mac_|cp437|cp7|cp8[56]|johab|koi8_t|ptcp154|kz1048|iso8859_(3|4|14|16)$")
_RARITY = -6.0

# how likely a byte beyond ASCII must be on average; less is a language or a file that is not known
_WORST_FIT = -7.0
# what a byte of ASCII counts in each encoding
_ASCII = -3.0
# letters beyond ASCII in a line that are UTF-8 by no accident
_NO_ACCIDENT = 4

# how Python reads bytes that are no text so that the very same are written back
STRAYS = "surrogateescape"
# where no encoding is proved: all beyond ASCII are stray bytes, and no others can be written
UNKNOWN = "ascii"

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_SAMPLE_LINE = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
# ISO 2022 writes Japanese in ASCII letters between two escapes
_JAPANESE_ESCAPE = re.compile(rb"\x1b\$[@B]")


def guess_encodings(data: bytes, named: str = "") -> tuple[str, ...]:
    """Guess encodings that read the bytes as the same text and give the same bytes back.

    More than one where nothing in the bytes tells them apart; a few stray bytes may fit none.
    One that a person has `named` counts if the bytes can be in it.
    """
    if named and _decode(data, named, "strict") is not None:
        return (named,)
    if _JAPANESE_ESCAPE.search(data):
        return ("iso2022_jp",) if _decode(data, "iso2022_jp", "strict") else (UNKNOWN,)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not _is_mostly_utf8(data):
            return _guess_legacy(data)
    return ("utf-8",)


def _is_mostly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", STRAYS)
    stray = len(re.findall("[\udc80-\udcff]", text))
    return len(_BEYOND_ASCII.findall(data)) > 10 * stray


def _guess_legacy(data: bytes) -> tuple[str, ...]:
    sample = _take_sample(data)
    ratings = _rate_encodings(sample)
    best = ratings[0][0]
    if _has_utf8_line(sample) or not _fits(best, sample):
        return (UNKNOWN,)
    possible = [name for rating, name in ratings if rating > best - MARGIN]
    texts = {name: text for name in possible if (text := _decode(data, name, STRAYS)) is not None}
    return tuple(texts) if len(set(texts.values())) == 1 else (UNKNOWN,)


def _has_utf8_line(sample: bytes) -> bool:
    """Return whether a line is UTF-8, so that the file is in more than one encoding."""
    for line in sample.split(b"\n"):
        text = line.decode("utf-8", STRAYS)
        letters = [letter for letter in text if letter >= "\x80"]
        if len(letters) >= _NO_ACCIDENT and not any(
            "\udc80" <= each <= "\udcff" for each in letters
        ):
            return True
    return False


def _fits(rating: float, sample: bytes) -> bool:
    foreign = len(_BEYOND_ASCII.findall(sample))
    return rating - _ASCII * (len(sample) - foreign) >= _WORST_FIT * foreign


def _take_sample(data: bytes) -> bytes:
    sample = b""
    for line in _SAMPLE_LINE.finditer(data):
        if len(sample) >= SAMPLE_BYTES:
            break
        sample += line[0][:SAMPLE_BYTES] + b"\n"
    return sample


@lru_cache(maxsize=32)
def _rate_encodings(sample: bytes) -> tuple[tuple[float, str], ...]:
    """Rate all encodings, the likeliest first; one call of a tool decodes a file several times."""
    from .languages import FAMILIES
    from .likelihood import estimate_likelihood

    ratings = [
        (estimate_likelihood(sample.decode(name, STRAYS), languages) + _rate_rarity(name), name)
        for encodings, languages in FAMILIES
        for name in encodings
    ]
    return tuple(sorted(ratings, reverse=True, key=lambda rating: rating[0]))


def _rate_rarity(encoding: str) -> float:
    return _RARITY if _RARE.match(encoding) else 0.0


def _decode(data: bytes, encoding: str, on_error: str) -> str | None:
    """Decode bytes; None if the very same would not be written back."""
    try:
        text = data.decode(encoding, on_error)
        return text if text.encode(encoding, on_error) == data else None
    except UnicodeError:
        return None
