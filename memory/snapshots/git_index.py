"""Git's index, parsed without running git."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

SUBMODULE = 0o160000
REGULAR, LINK = 0o100000, 0o120000

_HEADER = struct.Struct(">4sII")
# the mode is between the times with the inode, and the owner with the size
_ENTRY = struct.Struct(">24xI12x")
_EXTENDED = 0x4000


@dataclass(frozen=True)
class IndexEntry:
    """One tracked path."""

    mode: int
    name: bytes
    """Relative to the top of the work tree."""

    @property
    def type(self) -> int:
        """The file type without permissions."""
        return self.mode & 0o170000


@dataclass(frozen=True)
class GitIndex:
    """The entries of an index."""

    entries: Sequence[IndexEntry]
    is_split: bool
    """Whether more entries are in another file."""


def parse_index(data: bytes, most: int, hash_size: int = 20) -> GitIndex:
    """Parse an index of at most `most` entries.

    Raises ValueError, IndexError or struct.error for a damaged index and an unknown format.
    """
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4) or count > most:
        raise ValueError("unknown index format")
    entries: list[IndexEntry] = []
    at, name = _HEADER.size, b""
    for _ in range(count):
        start = at
        (mode,) = _ENTRY.unpack_from(data, at)
        at += _ENTRY.size + hash_size
        (flags,) = struct.unpack_from(">H", data, at)
        at += 4 if flags & _EXTENDED else 2
        prefix_length = 0
        if version == 4:  # a name is stored as the difference from the previous name
            removed, at = _parse_number(data, at)
            prefix_length = len(name) - removed
        end = data.index(0, at)
        name = name[:prefix_length] + data[at:end]
        # older versions pad each entry with zeros to a multiple of 8 bytes
        at = end + 1 if version == 4 else start + ((end - start) // 8 + 1) * 8
        entries.append(IndexEntry(mode, name))
    return GitIndex(entries, data[at : at + 4] == b"link")


def _parse_number(data: bytes, at: int) -> tuple[int, int]:
    """Parse a variable-length number; return it and its end."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | data[at] & 0x7F
    return value, at + 1
