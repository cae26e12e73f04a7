"""How much a snapshot holds, and the words for what does not fit."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

LARGEST_FILE = 20_000_000
"""Bytes. A file that a step changes is stored anew: 20 MB take git 0.4 s, which is what a snapshot
may cost at all; sources and small assets are far below, recordings and models far above."""
MOST_FILES = 100_000
"""Git looks at 20,000 files in 0.06 s at each snapshot; so with these it is still below 0.5 s."""
MOST_BYTES = 1_000_000_000
"""Of all files together: the first snapshot stores some 50 MB a second, so in about 20 s."""
LITTLE = 10_000_000
"""Bytes that are taken in at any rate, without counting what is there already."""
SHOWN = 5
"""Names in a message."""


@dataclass(frozen=True, order=True)
class NewFile:
    """A file that could enter a snapshot; the smaller, the sooner."""

    size: int
    path: bytes


@dataclass
class SkippedFiles:
    """What one snapshot leaves out."""

    large: list[bytes] = field(default_factory=list[bytes])
    many: int = 0
    heavy: int = 0
    unreadable: list[bytes] = field(default_factory=list[bytes])
    refused: list[bytes] = field(default_factory=list[bytes])
    """Named so that git takes them for its own."""

    def describe(self) -> str:
        """For a notice; the same words as long as the same is left out, empty when nothing is."""
        told = list[str]()
        if self.large:
            told.append(f"over {LARGEST_FILE / 1e6:.0f} MB: {_format_names(self.large)}")
        if self.many:
            told.append(
                f"{_format_count(self.many)} beyond the {MOST_FILES:,} that a snapshot holds"
            )
        if self.heavy:
            limit = f"{MOST_BYTES / 1e9:.0f} GB that all files of a snapshot may take"
            told.append(f"{_format_count(self.heavy)} beyond the {limit}")
        if self.unreadable:
            told.append(f"not readable: {_format_names(self.unreadable)}")
        if self.refused:
            told.append(f"named like git's own files: {_format_names(self.refused)}")
        if not told:
            return ""
        return f"not in snapshots, so undo cannot restore it: {'; '.join(told)}"


def select_fitting(
    found: Sequence[NewFile], named: Collection[bytes], files: int, size: int, left: SkippedFiles
) -> list[bytes]:
    """Of new files those that fit where `files` of `size` bytes are already.

    Files that tools named come first and always, then the smallest: sources before data.
    """
    chosen = [file for file in found if file.path in named]
    total = size + sum(file.size for file in chosen)
    for file in sorted(file for file in found if file.path not in named):
        if files + len(chosen) >= MOST_FILES:
            left.many += 1
        elif total + file.size > MOST_BYTES:
            left.heavy += 1
        else:
            chosen.append(file)
            total += file.size
    return [file.path for file in chosen]


def _format_count(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _format_names(paths: Collection[bytes]) -> str:
    shown = [path.decode("utf-8", "backslashreplace") for path in sorted(paths)[:SHOWN]]
    more = [f"{len(paths) - SHOWN:,} more"] if len(paths) > SHOWN else []
    return ", ".join([*(f"`{name}`" for name in shown), *more])
