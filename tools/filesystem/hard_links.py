"""Files that have a second name which no tool may touch: `ln .env notes.txt` opens nothing."""

import os
from contextlib import suppress
from pathlib import PurePosixPath
from typing import NamedTuple

from ..workspace import Workspace
from .safe_open import LISTED, open_beneath


class _Entry(NamedTuple):
    name: str
    """Relative to the project."""
    number: int
    """The inode's."""
    is_folder: bool


def has_hidden_name(workspace: Workspace, name: str, found: os.stat_result) -> bool:
    """Whether a file is also known by a hidden name: in a folder above it, or hidden there.

    A name elsewhere is not looked for: to find all of them, all files would have to be looked at.
    """
    if found.st_nlink < 2:
        return False
    return any(
        entry.number == found.st_ino and workspace.is_hidden_name(entry.name)
        for folder in PurePosixPath(name).parents
        for entry in _with_hidden_folders(workspace, str(folder))
    )


def _with_hidden_folders(workspace: Workspace, folder: str) -> list[_Entry]:
    """What is in a folder, and in the hidden folders there."""
    entries = _scan_folder(workspace, folder)
    inner = [one.name for one in entries if one.is_folder and workspace.is_hidden_name(one.name)]
    return entries + [entry for name in inner for entry in _scan_folder(workspace, name)]


def _scan_folder(workspace: Workspace, folder: str) -> list[_Entry]:
    with suppress(OSError):  # gone meanwhile, or not ours to read
        descriptor = open_beneath(workspace.root, folder, LISTED)
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
