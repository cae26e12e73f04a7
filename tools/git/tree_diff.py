"""The difference of two commits or trees: its files, and its lines."""

import os
from collections.abc import Mapping

from .user_git import UserGit

# A patch with all of its lines, whatever the repository is configured to show
PATCH_FLAGS = ("-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color")
_KINDS = {b"A": "added", b"D": "deleted"}


async def read_diff(git: UserGit, old: str, new: str) -> str:
    """Return the difference as a patch."""
    return (await git.read("diff-tree", "-r", *PATCH_FLAGS, old, new)).decode("utf-8", "replace")


async def list_changes(git: UserGit, old: str, new: str) -> tuple[Mapping[str, str], ...]:
    """Return `path` in the repository and `kind` of each file that differs."""
    flags = ("-r", "-z", "--no-renames", "--name-status")
    words = (await git.read("diff-tree", *flags, old, new)).split(b"\0")
    return tuple(
        {"path": os.fsdecode(path), "kind": _KINDS.get(letter, "modified")}
        for letter, path in zip(words[::2], words[1::2], strict=False)
    )
