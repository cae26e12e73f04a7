"""The files in an archive, for a search: bounded, so that no archive fills the memory."""

import bz2
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, cast

# Most bytes of all files in an archive; most files; most archives inside each other
MAX_BYTES, MAX_FILES, MAX_DEPTH = 50_000_000, 5_000, 3
_PIECE = 1_000_000
# Zstandard, 7z, RAR, LZMA, LZ4 (also of the kernel), compress, pack, lzip, Snappy, cabinets, and
# packs and bundles of git
_UNREADABLE = (
    *(
        b"\x28\xb5\x2f\xfd",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!",
        b"\x04\x22\x4d\x18",
        b"\x02\x21\x4c\x18",
    ),
    *(b"\x1f\x9d", b"\x1f\xa0", b"\x1f\x1e", b"LZIP", b"\xff\x06\0\0sNaPpY", b"MSCF\0\0\0\0"),
    *(b"PACK\0\0\0", b"# v2 git bundle\n", b"# v3 git bundle\n"),
)
# LZMA begins with its usual properties, the size of its dictionary, and its length or none
_LZMA = re.compile(rb"\x5d\0\0..(?:\xff{8}|.{5}\0{3})", re.DOTALL)
# Packed files that have no first bytes of their own
_UNREADABLE_NAMES = (".br", ".lzma", ".lzo", ".pack", ".z", ".lz4", ".zst")
_ERRORS = (OSError, EOFError, ValueError, RuntimeError, NotImplementedError)
_PACKING_ERRORS = (zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError)


class UnreadableArchiveError(Exception):
    """Not all of an archive can be read: encrypted, damaged, too large, or of an unknown kind."""


def read_archive(content: bytes, path: str = "") -> list[bytes]:
    """Return the contents of the files in an archive, with their names; empty for another content.

    Some kinds are known by the name alone. Raises UnreadableArchiveError.
    """
    try:
        return list(_read_members(path, content, _Budget(), MAX_DEPTH))
    except (*_ERRORS, *_PACKING_ERRORS) as error:
        raise UnreadableArchiveError(str(error)) from error


class _Budget:
    """What may still be read."""

    def __init__(self) -> None:
        self._bytes, self._files = MAX_BYTES, MAX_FILES

    def take(self, content: bytes) -> bytes:
        """Count a content; raises UnreadableArchiveError if it is too much."""
        self._bytes -= len(content)
        if self._bytes < 0:
            raise UnreadableArchiveError("too large")
        return content

    def read_all(self, file: IO[bytes]) -> bytes:
        """Read a file of an archive."""
        self._files -= 1
        if self._files < 0:
            raise UnreadableArchiveError("too many files")
        content = file.read(self._bytes + 1)
        return self.take(content)


def _read_members(path: str, content: bytes, budget: _Budget, depth: int) -> Iterator[bytes]:
    if _is_unreadable(path, content):
        raise UnreadableArchiveError("unknown kind")
    members = _open(content, budget)
    if members is None:
        return
    if not depth:
        raise UnreadableArchiveError("too many archives in each other")
    for name, member in members:
        if name:
            yield name.encode(errors="surrogateescape")
        yield member
        yield from _read_members(name, member, budget, depth - 1)


def _is_unreadable(path: str, content: bytes) -> bool:
    """Return whether a content is packed in a way that is not read here."""
    if content.startswith(_UNREADABLE) or _LZMA.match(content):
        return True
    if not path.lower().endswith(_UNREADABLE_NAMES):
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return False


def _open(content: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]] | None:
    if content.startswith(b"PK\3\4"):
        return _read_zip(content, budget)
    if content.startswith(b"\x1f\x8b"):
        return _unpack(content, lambda: zlib.decompressobj(wbits=31), budget)
    if content.startswith(b"BZh"):
        return _unpack(content, bz2.BZ2Decompressor, budget)
    if content.startswith(b"\xfd7zXZ\0"):
        return _unpack(content, lzma.LZMADecompressor, budget)
    if content[257:262] == b"ustar":
        return _read_tar(content, budget)
    return None


def _read_zip(content: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        yield "", archive.comment
        for info in archive.infolist():
            with archive.open(info) as file:
                yield info.filename, budget.read_all(file)


def _read_tar(content: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for info in archive:
            file = archive.extractfile(info) if info.isreg() else None
            yield info.name, budget.read_all(file) if file else b""


def _unpack(
    content: bytes, create: Callable[[], object], budget: _Budget
) -> Iterator[tuple[str, bytes]]:
    """Yield the content of each stream of a packed file."""
    while content:
        stream = cast("bz2.BZ2Decompressor", create())  # all have the same methods
        parts = [budget.take(_decompress(stream, content))]
        while not stream.eof:
            piece = _decompress(stream, getattr(stream, "unconsumed_tail", b""))
            if not piece:
                raise UnreadableArchiveError("damaged")
            parts.append(budget.take(piece))
        content = stream.unused_data
        yield "", b"".join(parts)
        if not content.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")):
            return


def _decompress(stream: bz2.BZ2Decompressor, content: bytes) -> bytes:
    return stream.decompress(content, _PIECE)
