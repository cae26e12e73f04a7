"""Typographic signs and trailing blanks that only the request has, or only the file."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..matching.normalization import (
    BLANKS,
    DASHES,
    DOUBLE_QUOTES,
    INVISIBLE,
    SINGLE_QUOTES,
    normalize_line,
)

_FAMILIES = (SINGLE_QUOTES + DOUBLE_QUOTES, DASHES, BLANKS + INVISIBLE, "\u2026")
_SIGNS = frozenset("".join(_FAMILIES))


@dataclass(frozen=True)
class Spelling:
    """How the spelling of a request differs from the file's."""

    asked: Counter[str]
    real: Counter[str]
    """How often each typographic sign is in the lines of the request, and of the file."""
    more_at_ends: int
    """How many blanks more are at the ends of the request's lines."""

    def as_in_file(self, new: str) -> str:
        """Remove the signs and blanks of a new line that only the request has."""
        new = new[: len(new) - min(_count_end_blanks(new), self.more_at_ends)]
        if new.isascii():
            return new
        return "".join(_to_plain(sign) if self._is_foreign(sign) else sign for sign in new)

    def _is_foreign(self, sign: str) -> bool:
        """Return whether the request has a typographic sign where the file has a plain one."""
        if sign not in _SIGNS:
            return False
        if self.asked[sign] or self.real[sign]:
            return self.asked[sign] > self.real[sign]
        family = next(family for family in _FAMILIES if sign in family)
        return any(self.asked[other] > self.real[other] for other in family)


def infer_spelling(pairs: Iterable[tuple[str, str]]) -> Spelling:
    """Learn from pairs of a line of the request and a line of the file."""
    asked, real, ends = Counter[str](), Counter[str](), list[tuple[int, int]]()
    for asked_line, real_line in pairs:
        asked.update(sign for sign in asked_line if sign in _SIGNS)
        real.update(sign for sign in real_line if sign in _SIGNS)
        if asked_line.strip() and real_line.strip():
            ends.append((_count_end_blanks(asked_line), _count_end_blanks(real_line)))
    return Spelling(asked, real, _count_extra_blanks(ends))


def _count_extra_blanks(ends: list[tuple[int, int]]) -> int:
    if not any(real for _, real in ends):
        return max((asked for asked, _ in ends), default=0)
    return max(min(asked - real for asked, real in ends), 0)


def _count_end_blanks(line: str) -> int:
    return len(line) - len(line.rstrip())


def _to_plain(sign: str) -> str:
    """Convert a typographic sign to a plain one; a blank stays one blank."""
    return " " if sign in BLANKS else normalize_line(sign)
