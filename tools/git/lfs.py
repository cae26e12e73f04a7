"""Files that git LFS keeps outside git: a commit has a pointer to each."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from .git_settings import GitSetting, find_value

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*?"
    rb"oid sha256:([0-9a-f]{64})\n(?:[a-z0-9.-]+ [^\n]*\n)*"
)
# git LFS takes larger files for content
_MAX_POINTER = 1024


def locate_lfs_storage(settings: Iterable[GitSetting], common: str) -> str:
    """Return the folder of the files; `common` is the git folder that all worktrees share."""
    chosen = find_value(settings, "lfs.storage")
    return os.path.join(common, chosen.value if chosen else "lfs")


def find_lfs_file(storage: str, content: bytes) -> Path | None:
    """Return the file that a pointer names; None if it is no pointer, or the file is not here."""
    match = _POINTER.fullmatch(content) if len(content) <= _MAX_POINTER else None
    if not match:
        return None
    name = match[1].decode()
    file = Path(storage, "objects", name[:2], name[2:4], name)
    return file if file.is_file() else None
