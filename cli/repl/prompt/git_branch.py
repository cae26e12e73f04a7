"""The branch of the git repository that a folder is in, read without starting git."""

import os
import re
import stat
from pathlib import Path

LONGEST = 200
"""Bytes that are read of a file which names something."""
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


def read_branch(folder: Path) -> str:
    """Its name, or the commit's beginning; empty where there is no repository."""
    for place in (folder, *folder.parents):
        try:
            head = _read_small_file(_find_git_folder(place) / "HEAD")
        except (OSError, ValueError):
            continue
        name = head.removeprefix("ref: refs/heads/")
        if name != head:
            return name
        return head[:8] if _COMMIT.fullmatch(head) else ""
    return ""


def _find_git_folder(place: Path) -> Path:
    """`.git`, or where it points to in a worktree; raises OSError where there is none."""
    git = place / ".git"
    return git if git.is_dir() else place / _read_small_file(git).removeprefix("gitdir: ")


def _read_small_file(file: Path) -> str:
    """Raises OSError for anything but a file: the folder may be anybody's, a pipe never ends."""
    with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError("not a file")
        return opened.read(LONGEST).decode().strip()
