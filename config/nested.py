"""Instruction files in the folders below a project's: looked for only when trust is asked."""

import os
from collections.abc import Iterator
from pathlib import Path

from .brought import PLACES, Odd, digest_of, imported

MOST_LOOKED_AT = 20_000
"""Files and folders; what is beyond them is not found, and so not told."""
DEEPEST = 12
OF_OTHERS = frozenset(["node_modules", "site-packages", "dist-packages", "vendor"])
"""Packages of others: what is written in them is for whoever works on them."""


def nested_instructions(folder: Path) -> dict[str, str]:
    """By path their digests, those of files that they bring in as well; nothing odd.

    Repositories in the folder are asked about for themselves, and hidden folders hold none.
    """
    root = os.path.realpath(folder)
    found = dict[str, str]()
    for path in _places(root):
        try:
            found[path], content = digest_of(root, path)
        except Odd:
            continue
        found |= {one.path: one.digest for one in imported(root, {path: content}, set(found))}
    return found


def _places(root: str) -> Iterator[str]:
    """Of each folder the first of the names that is there."""
    waiting, looked_at = [("", 0)], 0
    for path, depth in waiting:  # which grows meanwhile
        entries = _entries(os.path.join(root, path))
        looked_at += len(entries)
        if looked_at > MOST_LOOKED_AT:
            return
        names = {entry.name for entry in entries}
        if depth and ".git" in names:
            continue
        if depth and (mine := next((name for name in PLACES["instructions"] if name in names), "")):
            yield f"{path}/{mine}"
        waiting += [
            (f"{path}/{entry.name}".lstrip("/"), depth + 1)
            for entry in entries
            if depth < DEEPEST
            and entry.is_dir(follow_symlinks=False)
            and not entry.name.startswith(".")
            and entry.name not in OF_OTHERS
        ]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []
