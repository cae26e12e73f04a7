"""Kinds of objects in a git repository: `git show` prints a file's content by its hash.

The kind of a tag is the kind of its target, which git shows with it; `tag` if the target is another
tag or unknown.
"""

import os
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

_TYPES = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_TAGGED = re.compile(rb"(?:tag \d+\0)?object [0-9a-f]+\ntype ([a-z]+)\n")
# Bytes read from an object: in a tag they contain its target
_BEGINNING = 200
_OFFSET_DELTA, _HASH_DELTA = 6, 7
_FANOUT = struct.Struct(">256I")
_FANOUT_AT = 8
_LARGE = 1 << 31


def find_object_kinds(objects: Path, prefix: str, hash_size: int) -> set[str]:
    """Return the kinds of all objects whose hash begins with `prefix`, at least four hex digits.

    Raises OSError, ValueError, struct.error or zlib.error if the store is damaged.
    """
    return set(_iter_loose_kinds(objects, prefix)) | set(
        _iter_packed_kinds(objects, prefix, hash_size)
    )


def _iter_loose_kinds(objects: Path, prefix: str) -> Iterator[str]:
    folder = objects / prefix[:2]
    for name in os.listdir(folder) if folder.is_dir() else ():
        if name.startswith(prefix[2:]):
            with open(folder / name, "rb") as file:
                data = zlib.decompressobj().decompress(file.read(2 * _BEGINNING), _BEGINNING)
            kind = data.split(b" ")[0].decode()
            yield _parse_tagged_kind(data) if kind == "tag" else kind


def _parse_tagged_kind(data: bytes) -> str:
    """Return the kind of a tag's target."""
    match = _TAGGED.match(data)
    return match[1].decode() if match else "tag"


def _iter_packed_kinds(objects: Path, prefix: str, hash_size: int) -> Iterator[str]:
    for index in (objects / "pack").glob("*.idx"):
        for offset in _find_offsets(index, prefix, hash_size):
            yield _read_kind(index, offset, hash_size)


def _find_offsets(index: Path, prefix: str, hash_size: int) -> Iterator[int]:
    """Yield the offsets in the pack of the objects that an index lists under this prefix."""
    with open(index, "rb") as file:
        if file.read(8) != b"\xfftOc\0\0\0\2":
            raise ValueError("unknown pack index version")
        fanout = _FANOUT.unpack(file.read(_FANOUT.size))
        first = int(prefix[:2], 16)
        start, end, total = fanout[first - 1] if first else 0, fanout[first], fanout[-1]
        hashes_at = _FANOUT_AT + _FANOUT.size
        file.seek(hashes_at + start * hash_size)
        hashes = file.read((end - start) * hash_size)
        offsets_at = hashes_at + total * (hash_size + 4)
        for number in range(start, end):
            at = (number - start) * hash_size
            if hashes[at : at + hash_size].hex().startswith(prefix):
                file.seek(offsets_at + 4 * number)
                (offset,) = struct.unpack(">I", file.read(4))
                if offset & _LARGE:
                    file.seek(offsets_at + 4 * total + 8 * (offset ^ _LARGE))
                    (offset,) = struct.unpack(">Q", file.read(8))
                yield offset


def _read_kind(index: Path, offset: int, hash_size: int) -> str:
    """Read the kind of the object at an offset of a pack; for a delta the kind of its base."""
    changed = False
    with open(index.with_suffix(".pack"), "rb") as pack:
        while True:
            pack.seek(offset)
            data = pack.read(64 + 2 * _BEGINNING)
            kind, at = data[0] >> 4 & 7, 0
            while data[at] & 0x80:
                at += 1
            at += 1
            if kind == _OFFSET_DELTA:
                offset -= _parse_distance(data[at:])
            elif kind == _HASH_DELTA:
                base = data[at : at + hash_size].hex()
                offset = next(_find_offsets(index, base, hash_size))
            elif _TYPES[kind] == "tag" and not changed:
                return _parse_tagged_kind(zlib.decompressobj().decompress(data[at:], _BEGINNING))
            else:
                return _TYPES[kind]
            changed = True


def _parse_distance(data: bytes) -> int:
    value = data[0] & 0x7F
    for last, byte in zip(data, data[1:], strict=False):
        if not last & 0x80:
            break
        value = (value + 1) << 7 | byte & 0x7F
    return value


# Where git looks for a name; all of them count
_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}")


_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)


_SYMBOLIC = "ref: "


_MAX_STEPS = 5


# Most bytes of one reference
_MAX_REFERENCE_BYTES = 300


# Most bytes of the list of packed references
MAX_LIST_BYTES = 20_000_000


def find_hashes(name: str, git_dir: Path, common: Path) -> set[str]:
    """Return the hashes that the references of a name point to.

    Raises ValueError if the references are stored in an unknown format.
    """
    if (common / "reftable").exists():
        raise ValueError("references are stored as reftable")
    places = {form.format(name) for form in _PLACES}
    folders = {git_dir, common}
    loose = (_iter_loose_refs(place, folders, _MAX_STEPS) for place in places)
    return {hash for hashes in loose for hash in hashes} | set(_iter_packed_refs(common, places))


def _iter_loose_refs(place: str, folders: set[Path], steps: int) -> Iterator[str]:
    for file in (folder / place for folder in folders):
        if not file.is_file():  # a folder of references, or missing
            continue
        with file.open("rb") as opened:
            text = opened.read(_MAX_REFERENCE_BYTES).decode(errors="replace")
        if not text.startswith(_SYMBOLIC):
            yield from _HASH.findall(text)[:1]
        elif steps:
            other = text.removeprefix(_SYMBOLIC).strip()
            yield from _iter_loose_refs(other, folders, steps - 1)
            yield from (hash for folder in folders for hash in _iter_packed_refs(folder, {other}))


def _iter_packed_refs(common: Path, places: set[str]) -> Iterator[str]:
    file = common / "packed-refs"
    if not file.is_file():
        return
    if file.stat().st_size > MAX_LIST_BYTES:
        raise ValueError("too many references to check")
    for line in file.read_text(errors="replace").splitlines():
        hash, _, place = line.partition(" ")
        if place in places and _HASH.fullmatch(hash):
            yield hash
