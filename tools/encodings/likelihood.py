"""How likely a text is in a language: what tells the right encoding from those that only fit."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from .languages import LETTERS

# logarithms of probabilities, so that they add up; for what no table of letters has
_ASCII = -3.0
_OTHER_LETTER = -10.0
_RARE_IDEOGRAPH = -13.0
_COMMON_IDEOGRAPH = -9.0
_PUNCTUATION = -5.5
_USUAL_SIGN = -7.0
_OTHER_SIGN = -10.0
_CONTROL = -18.0
# a letter beyond ASCII among many Latin ones that are in it
_ACCENT = -3.0
# neighbours that real words do not have
_MIXED_SCRIPTS = -7.0
_CAPITAL_INSIDE = -6.0
_OTHER_SCRIPT = -3.0
_CAPITAL_FIRST = -1.5
_CAPITAL_NEXT = -0.3
_SIGN_INSIDE = -2.0
_IDEOGRAPH_INSIDE = -2.0

_PUNCTUATION_SIGNS = "“”‘’«»„‚–—…\xa0·、。，；：？！（）「」『』《》【】〈〉〜～・　／"  # noqa: RUF001
_USUAL_SIGNS = "§©®№•€£°ºª"
_QUOTES = "“”„«»、。，；：？！（）「」『』《》【】〈〉〜～・　／"  # noqa: RUF001
_QUOTE_INSIDE = re.compile("(?<=[luxX])q(?=[luxX])")
# the rows of everyday characters in the encoding of each language that has thousands of them
_COMMON_ROWS = {
    "zh_Hans": ("gb2312", 0xB0, 0xD7),
    "zh_Hant": ("big5", 0xA4, 0xC6),
    "ja": ("euc_jp", 0xB0, 0xCF),
    "ko": ("euc_kr", 0xB0, 0xC8),
}


def estimate_likelihood(text: str, languages: Iterable[str]) -> float:
    """Estimate the logarithm of the probability of a text, in the likeliest of some languages."""
    letters = Counter(text)
    ascii_letters = sum(count for letter, count in letters.items() if letter < "\x80")
    foreign = {letter: count for letter, count in letters.items() if letter >= "\x80"}
    best = max(
        sum(count * _rate_letter(letter, language) for letter, count in foreign.items())
        for language in languages
    )
    return _ASCII * ascii_letters + best + _rate_neighbours(text)


@lru_cache(maxsize=20_000)
def _rate_letter(letter: str, language: str) -> float:
    lowered = letter.lower()
    if len(lowered) == 1 and lowered in _ranks(language):
        return _ranks(language)[lowered]
    kind = unicodedata.category(letter)
    if letter in _PUNCTUATION_SIGNS:
        return _PUNCTUATION
    if letter in _USUAL_SIGNS:
        return _USUAL_SIGN
    if kind in ("Cc", "Cs", "Co", "Cn"):
        return _CONTROL
    if not kind.startswith("L"):
        return _OTHER_SIGN
    return _rate_ideograph(letter, language) if language in _COMMON_ROWS else _OTHER_LETTER


@lru_cache
def _ranks(language: str) -> dict[str, float]:
    # the share of a letter falls with its rank, as Zipf has it
    letters = LETTERS[language]
    total = sum(1 / (rank + 2) for rank in range(len(letters)))
    weight = _ACCENT if _classify(letters[0]) == "x" else 0.0
    if language in _COMMON_ROWS:  # the table has only what makes up half of a text
        weight = math.log(0.5)
    return {letter: weight - math.log((rank + 2) * total) for rank, letter in enumerate(letters)}


def _rate_ideograph(letter: str, language: str) -> float:
    encoding, first_row, last_row = _COMMON_ROWS[language]
    row = (letter.encode(encoding, "ignore") or b"\0")[0]
    return _COMMON_IDEOGRAPH if first_row <= row <= last_row else _RARE_IDEOGRAPH


def _rate_neighbours(text: str) -> float:
    """Rate what stands side by side: words have one script, capitals only at the start."""
    kinds = text.translate({ord(letter): _classify(letter) for letter in set(text)})
    pairs = Counter(zip(" " + kinds, kinds, strict=False))
    inside = len(_QUOTE_INSIDE.findall(kinds)) * _SIGN_INSIDE * 2
    return inside + sum(count * _rate_pair(*pair) for pair, count in pairs.items())


@lru_cache
def _rate_pair(before: str, after: str) -> float:
    latin, others = "luxX", "nN"
    if (before in latin and after in others) or (before in others and after in latin):
        return _MIXED_SCRIPTS
    if (before in "lxn" and after in "XN") or (before in "xn" and after == "u"):
        return _CAPITAL_INSIDE
    if after in "XN":
        first = _CAPITAL_FIRST + (_OTHER_SCRIPT if after == "N" else 0.0)
        return _CAPITAL_NEXT if before in "uXN" else first
    if before in " q" and after == "n":
        return _OTHER_SCRIPT
    if (before in latin and after == "w") or (before == "w" and after in latin):
        return _IDEOGRAPH_INSIDE
    is_inside = (before in "luxXnN" and after == "s") or (before == "s" and after in "luxXnN")
    return _SIGN_INSIDE if is_inside else 0.0


@lru_cache(maxsize=20_000)
def _classify(letter: str) -> str:
    """Classify: ASCII l u, other Latin x X, other alphabets n N, ideograph w, quote q, sign s."""
    kind = unicodedata.category(letter)
    if letter < "\x80":
        return {"Ll": "l", "Lu": "u"}.get(kind, " ")
    if letter in _PUNCTUATION_SIGNS or letter in _USUAL_SIGNS:
        return "q" if letter in _QUOTES else " "
    if not kind.startswith(("L", "M")):
        return "s"
    if unicodedata.east_asian_width(letter) in "WFH":
        return "w"
    small = "x" if unicodedata.name(letter, "").startswith("LATIN") else "n"
    return small.upper() if kind == "Lu" else small
