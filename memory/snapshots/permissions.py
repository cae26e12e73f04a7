"""Permissions of files and folders, and empty folders, which git's trees leave out.

They are stored in a blob of the snapshot's tree, under a name that no file of a project can have
there. Most files share their permissions, so only the others are listed.
"""

import os
import stat
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .exclusions import Exclusions
from .file_version import (
    ABSENT,
    FILE,
    FOLDER,
    LINK,
    PROGRAM,
    FileVersion,
    PathChange,
    build_folder_version,
    is_folder,
)

# Most folders searched below those without a file
MAX_FOLDERS = 10_000
# Git rejects this part in any path of an index
ENTRY = b".git"
_KINDS = (FILE, PROGRAM, FOLDER)
_NONE = b"-"


@dataclass(frozen=True)
class FilePermissions:
    """Permissions of one snapshot; paths are bytes, those of folders end with a slash."""

    usual: Mapping[str, int] = field(default_factory=dict[str, int])
    """The most frequent permissions, by git's mode."""
    special: Mapping[bytes, int] = field(default_factory=dict[bytes, int])
    empty: frozenset[bytes] = frozenset()
    """Empty folders."""
    folders: Collection[bytes] | None = field(default=None, compare=False)
    """Folders with files; None if they must still be read from the snapshot."""

    def get_bits(self, path: str, mode: str) -> int | None:
        """Return the permissions of a path in the snapshot."""
        if mode == LINK:
            return None
        return self.special.get(os.fsencode(path), self.usual.get(mode))

    def pack(self) -> bytes:
        """Return the stored form, equal for equal files; empty if there is nothing to store."""
        if not self.usual:
            return b""
        usual = b" ".join(
            b"%o" % self.usual[kind] if kind in self.usual else _NONE for kind in _KINDS
        )
        special = [b"%o %b" % (bits, path) for path, bits in sorted(self.special.items())]
        empty = [b"%b %b" % (_NONE, path) for path in sorted(self.empty)]
        return b"\0".join([usual, *special, *empty])


def unpack_permissions(packed: bytes) -> FilePermissions:
    usual, *lines = packed.split(b"\0")
    special: dict[bytes, int] = {}
    empty = set[bytes]()
    for line in lines:
        bits, _, path = line.partition(b" ")
        if bits == _NONE:
            empty.add(path)
        else:
            special[path] = int(bits, 8)
    pairs = zip(_KINDS, usual.split(b" "), strict=True)
    shared = {kind: int(bits, 8) for kind, bits in pairs if bits != _NONE}
    return FilePermissions(shared, special, frozenset(empty))


def read_permissions(
    folder: bytes, files: Iterable[bytes], folders: Iterable[bytes], empty: Iterable[bytes]
) -> FilePermissions:
    """Read the permissions of a snapshot's files and folders; links are not followed."""
    empty, folders = frozenset(empty), frozenset(folders)
    of_folders = read_folder_modes(folder, folders, empty)
    return build_permissions(read_modes(folder, files), of_folders, folders, empty)


def build_permissions(
    files: Mapping[bytes, int],
    of_folders: Mapping[bytes, int],
    folders: Collection[bytes],
    empty: Collection[bytes],
) -> FilePermissions:
    """Build the permissions of a snapshot from the modes of its files and folders."""
    usual: dict[str, int] = {}
    special: dict[bytes, int] = {}
    groups = [*_group_by_mode(files).items(), *_group_by_mode(of_folders).items()]
    # the most frequent first: all others are special
    for mode, paths in sorted(groups, key=lambda group: (-len(group[1]), group[0])):
        kind = _to_git_mode(mode)
        if not kind or (kind == FOLDER) != paths[0].endswith(b"/"):
            continue
        if usual.setdefault(kind, mode & 0o777) != mode & 0o777:
            special |= dict.fromkeys(paths, mode & 0o777)
    there = frozenset(path for path in empty if stat.S_ISDIR(of_folders.get(path, 0)))
    return FilePermissions(usual, special, there, folders)


def apply_permissions(
    folder: Path, permissions: FilePermissions, files: Mapping[str, FileVersion]
) -> None:
    """Give new files and folders the permissions of their snapshot; create its empty folders.

    Nobody else may write to the folder.
    """
    for path in sorted(permissions.empty):
        (folder / os.fsdecode(path)).mkdir(parents=True, exist_ok=True)
    for path, version in files.items():
        _set_bits(folder / path, permissions.get_bits(path, version.mode))
    inside = _collect_all_folders(collect_folders(map(os.fsencode, files)), permissions.empty)
    for path in sorted(map(os.fsdecode, inside), key=len, reverse=True):
        _set_bits(folder / path, permissions.get_bits(path, FOLDER))


def _set_bits(path: Path, bits: int | None) -> None:
    if bits is not None and path.stat().st_mode & 0o777 != bits:
        path.chmod(bits)


def read_modes(folder: bytes, paths: Iterable[bytes]) -> dict[bytes, int]:
    """Return the modes of the paths that exist."""
    modes = dict[bytes, int]()
    look, above = os.stat, os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path in paths:  # a project may have many paths: do nothing twice
            try:
                modes[path] = look(path, dir_fd=above, follow_symlinks=False).st_mode
            except OSError:  # deleted meanwhile: the next snapshot records it
                continue
    finally:
        os.close(above)
    return modes


def read_folder_modes(
    folder: bytes, folders: Iterable[bytes], empty: Iterable[bytes]
) -> dict[bytes, int]:
    """Return the modes of folders with files, of empty ones, and of their parents."""
    every_folder = sorted(path[:-1] for path in _collect_all_folders(folders, empty))
    # without the slash, behind which the target of a link would be found
    return {path + b"/": mode for path, mode in read_modes(folder, every_folder).items()}


def _group_by_mode(modes: Mapping[bytes, int]) -> dict[int, list[bytes]]:
    paths_by_mode = defaultdict[int, list[bytes]](list)
    for path, mode in modes.items():
        paths_by_mode[mode].append(path)
    return paths_by_mode


def _to_git_mode(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return FOLDER
    if not stat.S_ISREG(mode):
        return ""
    return PROGRAM if mode & 0o100 else FILE


def with_permissions(
    changes: Iterable[PathChange], old: FilePermissions | None, new: FilePermissions | None
) -> list[PathChange]:
    """Add the permissions to changes of content, where they are known."""
    return [
        PathChange(
            c.path, _with_known_bits(c.path, c.old, old), _with_known_bits(c.path, c.new, new)
        )
        for c in changes
    ]


def may_have_changed(changed: Collection[str], old: FilePermissions, new: FilePermissions) -> bool:
    """Return whether permissions may have changed for files other than the changed ones."""
    usual = (old.usual.get(kind) == new.usual.get(kind) for kind in (FILE, PROGRAM))
    differing = {path for path, _ in old.special.items() ^ new.special.items()}
    names = map(os.fsdecode, differing)
    return not all(usual) or any(not is_folder(n) and n not in changed for n in names)


def find_changed_permissions(
    files: Mapping[str, FileVersion], old: FilePermissions, new: FilePermissions
) -> list[PathChange]:
    """Return the files with the same content in both snapshots but other permissions now."""
    every = (
        PathChange(path, _with_known_bits(path, version, old), _with_known_bits(path, version, new))
        for path, version in files.items()
    )
    return [change for change in every if change.old != change.new]


def find_changed_folders(
    were: Collection[bytes], are: Collection[bytes], old: FilePermissions, new: FilePermissions
) -> list[PathChange]:
    """Return folders that appeared, vanished, or changed their permissions or emptiness.

    `were` and `are` are the folders with files; empty ones and their parents are added.
    """
    every_old = _collect_all_folders(were, old.empty)
    every_new = _collect_all_folders(are, new.empty)
    changes: list[PathChange] = []
    for path in sorted(every_old | every_new):
        name = os.fsdecode(path)
        before = build_folder_version(old.get_bits(name, FOLDER)) if path in every_old else ABSENT
        after = build_folder_version(new.get_bits(name, FOLDER)) if path in every_new else ABSENT
        if before != after or (path in old.empty) != (path in new.empty):
            changes.append(PathChange(name, before, after))
    return changes


def _collect_all_folders(with_files: Iterable[bytes], empty: Iterable[bytes]) -> set[bytes]:
    """Return folders with files, empty folders, and the parents of empty folders."""
    return {*with_files, *empty, *collect_folders(path.rstrip(b"/") for path in empty)}


def _with_known_bits(
    path: str, version: FileVersion, permissions: FilePermissions | None
) -> FileVersion:
    if version == ABSENT or permissions is None:
        return version
    return FileVersion(version.mode, version.blob, permissions.get_bits(path, version.mode))


def collect_folders(files: Iterable[bytes]) -> set[bytes]:
    """Return the folders that contain these files, each ending with a slash."""
    folders = set[bytes]()
    for path in files:
        while (above := path.rpartition(b"/")[0]) and above + b"/" not in folders:
            folders.add(above + b"/")
            path = above
    return folders


def find_bare_folders(root: bytes, folders: Collection[bytes], out: Exclusions) -> list[bytes]:
    """Return the subfolders of `folders` and of the root that are not in `folders`."""
    bare_folders, known_folders = list[bytes](), {*folders}
    for above in (b"", *folders):
        bare_folders += [
            path for path in _list_subfolders(root, above) if path not in known_folders
        ]
    return sorted(path for path in bare_folders if not out.is_skipped_folder(os.fsdecode(path)))


def find_empty_folders(folder: bytes, inside: Mapping[bytes, Collection[bytes]]) -> list[bytes]:
    """Return those folders of `list_folders_below` that are empty."""
    return sorted(path for path in inside if not inside[path] and _is_empty(folder, path))


def list_folders_below(
    root: bytes, tops: Iterable[bytes], out: Exclusions
) -> dict[bytes, list[bytes]]:
    """Return these folders and the folders below them, each with its subfolders."""
    pending, folders = list(tops), dict[bytes, list[bytes]]()
    while pending and len(folders) < MAX_FOLDERS:
        path = pending.pop()
        folders[path] = _list_subfolders(root, path)
        pending += [
            below for below in folders[path] if not out.is_skipped_folder(os.fsdecode(below))
        ]
    return folders


def _list_subfolders(root: bytes, folder: bytes) -> list[bytes]:
    """Return the subfolders of a folder except `.git`."""
    try:
        with os.scandir(root + b"/" + folder) as entries:
            # a project has many files and few folders
            inside = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:  # deleted, or not readable
        return []
    return [folder + name + b"/" for name in inside if name.lower() != b".git"]


def _is_empty(root: bytes, folder: bytes) -> bool:
    try:
        with os.scandir(root + b"/" + folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False
