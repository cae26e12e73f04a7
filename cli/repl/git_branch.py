"""The branch of the git repository that a folder is in, read without starting git."""

from pathlib import Path

LONGEST = 200
"""Bytes that are read of a file which names something."""


def git_branch(folder: Path) -> str:
    """Its name, or the commit's beginning; empty where there is no repository."""
    for place in (folder, *folder.parents):
        try:
            head = _said(_git_folder(place) / "HEAD")
        except (OSError, ValueError):
            continue
        name = head.removeprefix("ref: refs/heads/")
        return name if name != head else head[:8]
    return ""


def _git_folder(place: Path) -> Path:
    """`.git`, or where it points to in a worktree; raises OSError where there is none."""
    git = place / ".git"
    return git if git.is_dir() else place / _said(git).removeprefix("gitdir: ")


def _said(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.read(LONGEST).decode().strip()
