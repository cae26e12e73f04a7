"""Files that a git repository tracks, read from its index without running git."""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ....memory.snapshots.git_index import LINK, REGULAR, SUBMODULE, parse_index
from ...workspace import Workspace
from ..parsing.flags import NotReadOnlyError

# most tracked files that are checked for secrets
MAX_FILES = 50_000


@dataclass(frozen=True)
class TrackedFiles:
    """Content of an index."""

    secrets: tuple[str, ...]
    """The names that the project's ignore patterns match, relative to the repository's top."""
    submodules: tuple[str, ...] = ()
    """The folders of submodules, relative to the top."""
    folders: tuple[str, ...] = ("",)
    """Every folder with tracked files, relative to the top, which is empty."""
    attributes: tuple[str, ...] = ()
    """The names of all `.gitattributes` files."""


def read_tracked_files(
    git_dir: Path, top: Path, workspace: Workspace, hash_size: int
) -> TrackedFiles:
    """Read the tracked files of a repository; raises NotReadOnlyError for an unusual index."""
    index = git_dir / "index"
    try:
        stat_result = index.stat()
    except OSError:
        return TrackedFiles(())
    state = (stat_result.st_ino, stat_result.st_mtime_ns, stat_result.st_size)
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
        submodules=tuple(name for mode, name in entries if mode == SUBMODULE),
        folders=_collect_folders(name for _, name in entries),
        attributes=tuple(name for _, name in entries if _is_attributes_file(name)),
    )


def _is_attributes_file(name: str) -> bool:
    return name.rpartition("/")[2] == ".gitattributes"


def _collect_folders(names: Iterable[str]) -> tuple[str, ...]:
    folders = {""}
    for name in names:
        while (name := name.rpartition("/")[0]) not in folders:
            folders.add(name)
    return tuple(sorted(folders))


def _parse_entries(data: bytes, hash_size: int) -> list[tuple[int, str]]:
    """Parse mode and name of each entry."""
    index = parse_index(data, MAX_FILES, hash_size)
    # in both cases the entries do not list every tracked file, so the others may include a secret
    if index.is_split:
        raise ValueError("split index")
    if any(entry.type not in (REGULAR, LINK, SUBMODULE) for entry in index.entries):
        raise ValueError("sparse index")
    return [(entry.mode, entry.name.decode(errors="surrogateescape")) for entry in index.entries]
