"""Empty folders of a project, which git's trees and listings leave out."""

import os
from collections.abc import Collection, Iterable, Mapping

from .exclusions import Exclusions

# Most folders searched below those without a file
MAX_FOLDERS = 10_000


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
