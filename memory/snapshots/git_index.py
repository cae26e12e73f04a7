"""Git's index, parsed without running git."""

import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

SUBMODULE = 0o160000
REGULAR, LINK = 0o100000, 0o120000

_HEADER = struct.Struct(">4sII")
# the mode is between the times with the inode, and the owner with the size
_ENTRY = struct.Struct(">24xI12x")
_EXTENSION = struct.Struct(">4sI")
_EXTENDED = 0x4000
# The bits of the flags that say how long the name is
_NAME_LENGTH = 0xFFF
# Bytes of an ID: SHA-1, SHA-256
_HASH_SIZES = (20, 32)


@dataclass(frozen=True)
class IndexEntry:
    """One tracked path."""

    mode: int
    name: bytes
    """Relative to the top of the work tree; empty: it replaces one of another file."""
    content: bytes = b""
    """ID of the content."""
    flags: int = 0
    """Stage and states, such as "intent to add"."""

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
    base: str = ""
    """ID of that file, which is named `sharedindex.ID`."""


def parse_index(data: bytes, most: int, hash_size: int = 0) -> GitIndex:
    """Parse an index of at most `most` entries; without a `hash_size` it is found.

    Raises ValueError, IndexError or struct.error for a damaged index and an unknown format.
    """
    if hash_size:
        return _parse_index(data, most, hash_size)[0]
    for size in _HASH_SIZES:
        with suppress(ValueError, IndexError, struct.error):
            index, end = _parse_index(data, most, size)
            if _has_end(data, end, size):
                return index
    raise ValueError("unknown index format")


def _parse_index(data: bytes, most: int, hash_size: int) -> tuple[GitIndex, int]:
    """Return the index and where its entries end."""
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4) or count > most:
        raise ValueError("unknown index format")
    entries: list[IndexEntry] = []
    at, name = _HEADER.size, b""
    for _ in range(count):
        start = at
        (mode,) = _ENTRY.unpack_from(data, at)
        at += _ENTRY.size + hash_size
        content = data[at - hash_size : at]
        (flags,) = struct.unpack_from(">H", data, at)
        at += 2
        flags &= ~_NAME_LENGTH
        if flags & _EXTENDED:
            flags = flags << 16 | struct.unpack_from(">H", data, at)[0]
            at += 2
        prefix_length = 0
        if version == 4:  # a name is stored as the difference from the previous name
            removed, at = _parse_number(data, at)
            prefix_length = len(name) - removed
        end = data.index(0, at)
        name = name[:prefix_length] + data[at:end]
        # older versions pad each entry with zeros to a multiple of 8 bytes
        at = end + 1 if version == 4 else start + ((end - start) // 8 + 1) * 8
        entries.append(IndexEntry(mode, name, content, flags))
    is_split = data[at : at + 4] == b"link"
    base = data[at + _EXTENSION.size :][:hash_size].hex() if is_split else ""
    return GitIndex(entries, is_split, base), at


def _has_end(data: bytes, at: int, hash_size: int) -> bool:
    """Return whether only extensions and one checksum follow."""
    end = len(data) - hash_size
    while at < end:
        _, size = _EXTENSION.unpack_from(data, at)
        at += _EXTENSION.size + size
    return at == end


def _parse_number(data: bytes, at: int) -> tuple[int, int]:
    """Parse a variable-length number; return it and its end."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | data[at] & 0x7F
    return value, at + 1
