"""Which files a git repository tracks, read from its index without running git."""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...workspace import Workspace
from ..parsing.flags import NotReadOnlyError

MOST_FILES = 50_000
"""Tracked files that are looked at."""

_ENTRY = struct.Struct(">24xI12x")
_EXTENDED = 0x4000
_SUBMODULE = 0o160000
_REGULAR, _LINK = 0o100000, 0o120000


@dataclass(frozen=True)
class TrackedFiles:
    """What an index says."""

    secrets: tuple[str, ...]
    """The names that the project's ignore patterns match, from the repository's top."""
    submodules: tuple[str, ...] = ()
    """Their folders, from there too."""
    folders: tuple[str, ...] = ("",)
    """Every folder that holds something, from there too; the top is empty."""
    attributes: tuple[str, ...] = ()
    """The names of all `.gitattributes`."""


def read_tracked_files(
    git_dir: Path, top: Path, workspace: Workspace, hash_size: int
) -> TrackedFiles:
    """What a repository tracks; raises NotReadOnlyError for an index of an unusual kind."""
    index = git_dir / "index"
    try:
        found = index.stat()
    except OSError:
        return TrackedFiles(())
    state = (found.st_ino, found.st_mtime_ns, found.st_size)
    return _read_index(index, state, top, workspace, hash_size)


@lru_cache(maxsize=8)
def _read_index(
    index: Path, state: tuple[int, int, int], top: Path, workspace: Workspace, hash_size: int
) -> TrackedFiles:
    try:
        entries = _parse_entries(index.read_bytes(), hash_size)
    except (OSError, ValueError, IndexError, struct.error) as error:
        raise NotReadOnlyError("git's index cannot be read") from error
    return TrackedFiles(
        secrets=tuple(name for _, name in entries if workspace.is_ignored(str(top / name))),
        submodules=tuple(name for mode, name in entries if mode == _SUBMODULE),
        folders=_collect_folders(name for _, name in entries),
        attributes=tuple(name for _, name in entries if _is_attributes_file(name)),
    )


def _is_attributes_file(name: str) -> bool:
    return name.rpartition("/")[2] == ".gitattributes"


def _collect_folders(names: Iterable[str]) -> tuple[str, ...]:
    found = {""}
    for name in names:
        while (name := name.rpartition("/")[0]) not in found:
            found.add(name)
    return tuple(sorted(found))


def _parse_entries(data: bytes, hash_size: int) -> list[tuple[int, str]]:
    """Mode and name of each entry."""
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in (2, 3, 4) or count > MOST_FILES:
        raise ValueError("unknown index format")
    entries: list[tuple[int, str]] = []
    at, name = 12, b""
    for _ in range(count):
        start = at
        (mode,) = _ENTRY.unpack_from(data, at)
        at += _ENTRY.size + hash_size
        (flags,) = struct.unpack_from(">H", data, at)
        at += 4 if flags & _EXTENDED else 2
        kept = 0
        if version == 4:
            removed, at = _parse_number(data, at)
            kept = len(name) - removed
        end = data.index(0, at)
        name = name[:kept] + data[at:end]
        at = end + 1 if version == 4 else start + ((end - start) // 8 + 1) * 8
        if mode & 0o170000 not in (_REGULAR, _LINK, _SUBMODULE):
            raise ValueError("sparse index")
        entries.append((mode, name.decode(errors="surrogateescape")))
    if data[at : at + 4] == b"link":
        raise ValueError("split index")
    return entries


def _parse_number(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1) << 7 | data[at] & 0x7F
    return value, at + 1
