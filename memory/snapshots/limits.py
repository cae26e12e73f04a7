"""Size limits of a snapshot, and messages about the files beyond them.

A new limit takes:

- `MAX_STORED_FILE_BYTES`, `MAX_FILES`, `MAX_BYTES` in `memory/snapshots/limits.py`
- `docs/permissions.md`, `docs/undo.md`, `docs/decisions/0008`
- tools edit files up to `MAX_FILE_BYTES` in `tools/filesystem/file_access.py`, which may not be
  larger
- undo merges files up to `MAX_BYTES` in `memory/undo/three_way_merge.py`
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ...config.text import join_texts, text

# Bytes. A changed file is stored again: 20 MB take git 0.4 s, the most that a snapshot may take;
# sources and small assets are far below, recordings and models far above.
MAX_STORED_FILE_BYTES = 20_000_000
# A watch tells what has changed; without one, git checks 20,000 files in 0.06 s at each snapshot
MAX_FILES = 200_000
# For all files together: the first snapshot stores some 50 MB a second, so it takes about 20 s
MAX_BYTES = 1_000_000_000
# Bytes that always fit, without counting the files already stored
LITTLE = 10_000_000
# Names in a message
SHOWN = 5


@dataclass(frozen=True, order=True)
class NewFile:
    """A file that could enter a snapshot; smaller files come first."""

    size: int
    path: bytes


@dataclass
class SkippedFiles:
    """Files that one snapshot leaves out."""

    large: list[bytes] = field(default_factory=list[bytes])
    many: int = 0
    heavy: int = 0
    unreadable: list[bytes] = field(default_factory=list[bytes])
    refused: list[bytes] = field(default_factory=list[bytes])
    """Files that git would treat as its own, by name."""

    def describe(self) -> str:
        """Return a notice, empty if nothing is left out; the same files give the same notice."""
        parts = list[str]()
        if self.large:
            parts.append(
                text(
                    "over {megabytes} MB: {names}",
                    megabytes=f"{MAX_STORED_FILE_BYTES / 1e6:.0f}",
                    names=_format_names(self.large),
                )
            )
        if self.many:
            parts.append(
                text(
                    "{count} beyond the {most_files} that a snapshot holds",
                    count=_format_count(self.many),
                    most_files=f"{MAX_FILES:,}",
                )
            )
        if self.heavy:
            limit = text(
                "{gigabytes} GB that all files of a snapshot may take",
                gigabytes=f"{MAX_BYTES / 1e9:.0f}",
            )
            parts.append(
                text(
                    "{count} beyond the {limit}",
                    count=_format_count(self.heavy),
                    limit=limit,
                )
            )
        if self.unreadable:
            parts.append(text("not readable: {names}", names=_format_names(self.unreadable)))
        if self.refused:
            parts.append(
                text(
                    "named like git's own files: {names}",
                    names=_format_names(self.refused),
                )
            )
        if not parts:
            return ""
        descriptions = join_texts("; ", parts)
        return text("not in snapshots, so undo cannot restore it: {files}", files=descriptions)


def select_fitting(
    new_files: Sequence[NewFile],
    named: Collection[bytes],
    files: int,
    size: int,
    left: SkippedFiles,
) -> list[bytes]:
    """Select the new files that fit beside `files` files of `size` bytes.

    Files that tools named come first and always fit, then the smallest: sources before data.
    """
    chosen = [file for file in new_files if file.path in named]
    total = size + sum(file.size for file in chosen)
    for file in sorted(file for file in new_files if file.path not in named):
        if files + len(chosen) >= MAX_FILES:
            left.many += 1
        elif total + file.size > MAX_BYTES:
            left.heavy += 1
        else:
            chosen.append(file)
            total += file.size
    return [file.path for file in chosen]


def _format_count(count: int) -> str:
    return "1 file" if count == 1 else text("{count} files", count=f"{count:,}")


def _format_names(paths: Collection[bytes]) -> str:
    shown_names = [path.decode("utf-8", "backslashreplace") for path in sorted(paths)[:SHOWN]]
    names = ", ".join(f"`{name}`" for name in shown_names)
    if len(paths) <= SHOWN:
        return names
    return text("{names}, {count} more", names=names, count=f"{len(paths) - SHOWN:,}")
