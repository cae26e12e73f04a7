"""Folders of a project that hold nothing: git's trees and listings do not know them."""

import os
from collections.abc import Collection, Iterable

from .exclusions import Exclusions

# Folders below those without a file that are looked into
MOST = 10_000


def collect_folders(files: Iterable[bytes]) -> set[bytes]:
    """The folders that these files lie in, each with its slash."""
    found = set[bytes]()
    for path in files:
        while (above := path.rpartition(b"/")[0]) and above + b"/" not in found:
            found.add(above + b"/")
            path = above
    return found


def find_bare_folders(root: bytes, folders: Collection[bytes], out: Exclusions) -> list[bytes]:
    """The folders in `folders`, or in the root, that are not themselves among these."""
    found: list[bytes] = []
    for above in (b"", *folders):
        found += [path for path in _list_subfolders(root, above) or () if path not in folders]
    return sorted(path for path in found if not out.is_skipped_folder(os.fsdecode(path)))


def find_empty_folders(root: bytes, tops: Iterable[bytes], out: Exclusions) -> list[bytes]:
    """Of these folders and those below them, the ones with nothing in them."""
    pending, found = list(tops), list[bytes]()
    for _ in range(MOST):
        if not pending:
            break
        path = pending.pop()
        inside = _list_subfolders(root, path)
        if inside is None:
            found.append(path)
        pending += [
            below for below in inside or () if not out.is_skipped_folder(os.fsdecode(below))
        ]
    return sorted(found)


def _list_subfolders(root: bytes, folder: bytes) -> list[bytes] | None:
    """The folders in a folder, but for `.git`; None when it has nothing in it at all."""
    found, is_empty = list[bytes](), True
    try:
        with os.scandir(root + b"/" + folder) as entries:
            for entry in entries:
                is_empty = False
                if entry.name.lower() != b".git" and entry.is_dir(follow_symlinks=False):
                    found.append(folder + entry.name + b"/")
    except OSError:  # gone, or not to be looked into
        return []
    return None if is_empty else found
