"""Hard links to files that no tool may touch, such as `ln .env notes.txt`."""

import os
from contextlib import suppress
from pathlib import PurePosixPath
from typing import NamedTuple

from ..workspace import Workspace
from .safe_open import LIST_FLAGS, open_beneath


class _Entry(NamedTuple):
    name: str
    """Relative to the project."""
    number: int
    """The inode's."""
    is_folder: bool


def has_hidden_name(workspace: Workspace, name: str, stat_result: os.stat_result) -> bool:
    """Return whether a hard link above the file, or in a hidden folder there, has a hidden name."""
    # not elsewhere: that would require a scan of all files of the project
    if stat_result.st_nlink < 2:
        return False
    return any(
        entry.number == stat_result.st_ino and workspace.is_hidden_name(entry.name)
        for folder in PurePosixPath(name).parents
        for entry in _scan_with_hidden_folders(workspace, str(folder))
    )


def _scan_with_hidden_folders(workspace: Workspace, folder: str) -> list[_Entry]:
    """List a folder and the hidden folders in it."""
    entries = _scan_folder(workspace, folder)
    inner = [
        entry.name for entry in entries if entry.is_folder and workspace.is_hidden_name(entry.name)
    ]
    return entries + [entry for name in inner for entry in _scan_folder(workspace, name)]


def _scan_folder(workspace: Workspace, folder: str) -> list[_Entry]:
    with suppress(OSError):  # deleted meanwhile, or not readable
        descriptor = open_beneath(workspace.root, folder, LIST_FLAGS)
        try:
            with os.scandir(descriptor) as scan:
                return [
                    _Entry(
                        str(PurePosixPath(folder) / entry.name),
                        entry.inode(),
                        entry.is_dir(follow_symlinks=False),
                    )
                    for entry in scan
                ]
        finally:
            os.close(descriptor)
    return []
