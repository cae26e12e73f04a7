"""The text of a file by lines, and search for rows of lines."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from .normalization import Key

MAX_COUNTED = 10_000
# most overlapping places that are counted, fewer for a longer text
LONG = 40


class TextDocument:
    """A text by lines, which only `\\n` ends; caches the normalized lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.removesuffix("\n").split("\n") if text else []
        self._keys = dict[Key, list[str]]()

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of each line, and the one behind the last."""
        starts, place = list[int](), 0
        for line in self.lines:
            starts.append(place)
            place += len(line) + 1
        return [*starts, place]

    @cached_property
    def filled_lines(self) -> list[int]:
        """The lines, from 0, that are not blank."""
        return [number for number, line in enumerate(self.lines) if line and not line.isspace()]

    def normalize_lines(self, key: Key) -> list[str]:
        """Return the keys of all lines."""
        if key not in self._keys:
            self._keys[key] = list(map(key, self.lines))
        return self._keys[key]


def find_places(text: str, part: str, *, apart: bool = False) -> list[int]:
    """Find where `part` begins in the text; unless `apart`, overlapping places count, too."""
    # overlapping places are counted only as long as that is quick
    most = len(text) if apart else max(MAX_COUNTED // max(len(part) // LONG, 1), 2)
    return list(islice(_iter_places(text, part, len(part) if apart else 1), most))


def find_rows(keys: Sequence[str], sequence: Sequence[str], *, apart: bool = False) -> list[int]:
    """Find where the keys of the sequence stand one after the other."""
    # as a search in text, so that it is linear: each of its keys becomes a letter, all others NUL
    letters = {key: chr(number) for number, key in enumerate(dict.fromkeys(sequence), 1)}
    written = "".join([letters.get(key, "\0") for key in keys])
    return find_places(written, "".join([letters[key] for key in sequence]), apart=apart)


def _iter_places(text: str, part: str, step: int) -> Iterator[int]:
    place = text.find(part) if part else -1
    while place >= 0:
        yield place
        place = text.find(part, place + step)
