"""A file's text as lines, and where rows of lines stand in it."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from .normalization import Key

MOST_COUNTED = 10_000
# beyond so many overlapping places, of a longer text fewer, nobody counts on
LONG = 40


class TextDocument:
    """A text by lines; only `\\n` ends one. Keys of its lines are made once a normalization."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.removesuffix("\n").split("\n") if text else []
        self._keys = dict[Key, list[str]]()

    @cached_property
    def line_starts(self) -> list[int]:
        """Where each line begins in the text, and where one more would begin."""
        starts, place = list[int](), 0
        for line in self.lines:
            starts.append(place)
            place += len(line) + 1
        return [*starts, place]

    @cached_property
    def filled_lines(self) -> list[int]:
        """The numbers, from 0, of the lines that are not blank."""
        return [number for number, line in enumerate(self.lines) if line and not line.isspace()]

    def normalize_lines(self, key: Key) -> list[str]:
        """The keys of all lines."""
        if key not in self._keys:
            self._keys[key] = list(map(key, self.lines))
        return self._keys[key]


def find_places(text: str, part: str, *, apart: bool = False) -> list[int]:
    """Where `part` begins in the text: all places that are apart, else with overlapping ones.

    Overlapping ones are counted only as long as that is quick.
    """
    most = len(text) if apart else max(MOST_COUNTED // max(len(part) // LONG, 1), 2)
    return list(islice(_iter_places(text, part, len(part) if apart else 1), most))


def find_rows(keys: Sequence[str], wanted: Sequence[str], *, apart: bool = False) -> list[int]:
    """Where the wanted keys stand one after the other: as a search in text, so it is linear.

    Every different key of the wanted ones becomes one letter, all other keys the letter NUL.
    """
    letters = {key: chr(number) for number, key in enumerate(dict.fromkeys(wanted), 1)}
    written = "".join([letters.get(key, "\0") for key in keys])
    return find_places(written, "".join([letters[key] for key in wanted]), apart=apart)


def _iter_places(text: str, part: str, step: int) -> Iterator[int]:
    place = text.find(part) if part else -1
    while place >= 0:
        yield place
        place = text.find(part, place + step)
