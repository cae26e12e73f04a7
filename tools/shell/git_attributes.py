"""Whether a repository's own attributes could show what a secret in its history holds.

The guard (`tools/git_guard.py`) keeps that content out of sight by the weakest attributes there
are. What a repository says of `diff` itself goes before them: `* diff` would show every secret.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from ..workspace import Workspace
from .flags import NotReadOnly
from .git_index import Tracked

NAME = ".gitattributes"
LARGEST = 1_000_000
"""Bytes of one file."""

_SETS_DIFF = re.compile(rb"^\s*(?!#)(\S+)[^\n]*?\s(!?diff(?:=\S*)?)(?=\s|$)", re.MULTILINE)
_ONE_KIND = re.compile(rb"(?:\*\*/)?(\*?)([\w+-]*\.[\w.+-]+)")
"""`*.py` or `setup.py`, of which people say in what language it is."""


def check_attributes(top: Path, common: Path, tracked: Tracked, workspace: Workspace) -> None:
    """Raises NotReadOnly where one line could be of a secret's content."""
    if gone := [name for name in tracked.attributes if not os.path.lexists(top / name)]:
        raise NotReadOnly(f"`{gone[0]}` is gone, so git goes by what it was")
    for file in (common / "info/attributes", *(top / name / NAME for name in tracked.folders)):
        for pattern, said in _lines_of_diff(file):
            if not _is_of_a_language(pattern, said, workspace):
                raise NotReadOnly(
                    f"`{NAME}` says of `{os.fsdecode(pattern)}` how it is shown, and secrets in "
                    "git's history may be among that"
                )


def _is_of_a_language(pattern: bytes, said: bytes, workspace: Workspace) -> bool:
    """Whether it is as `*.py diff=python`, of files that are no secrets by that name."""
    kind = _ONE_KIND.fullmatch(pattern)
    if not kind or not said.startswith(b"diff="):
        return False
    return not workspace.ignores(os.fsdecode(b"x" * len(kind[1]) + kind[2]))


def _lines_of_diff(file: Path) -> Iterator[tuple[bytes, bytes]]:
    """Of what a file says that git prints its content, and in which words."""
    try:
        found = file.lstat()
    except OSError:
        return
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
        raise NotReadOnly(f"`{file.name}` is no ordinary file")
    yield from ((line[1], line[2]) for line in _SETS_DIFF.finditer(file.read_bytes()))
