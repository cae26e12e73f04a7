"""What git has checked out in a folder, to see whether somebody changed that meanwhile.

`git stash`, `git checkout` and `git reset` of a human change many files at once, and none of them
is a change of the command that happened to run.
"""

import hashlib
import os
import struct
from dataclasses import dataclass
from pathlib import Path

from ...config.git.repository import find_git_folders, find_top
from ..snapshots.git_index import parse_index

# Bytes of an index that is compared entry by entry: some 200,000 files. A larger one counts as
# changed once git has written it.
MAX_INDEX = 30_000_000
_MAX_FILE = 100_000


@dataclass(frozen=True)
class GitState:
    """HEAD, its commit, the stash and the index."""

    marks: tuple[str, ...] = ()
    """Of HEAD, the branch, the stash and their logs, or of the tables that have all of them."""
    index: bytes = b""
    """Its bytes; of a large one, its size and time."""

    def is_same(self, other: "GitState") -> bool:
        """Return whether nothing was checked out, stashed, committed or staged in between.

        An index that git has only refreshed is the same.
        """
        if self.marks != other.marks:
            return False
        return self.index == other.index or _digest(self.index) == _digest(other.index)


def read_git_state(folder: Path) -> GitState:
    """Read the state of the folder's repository; outside of one it is empty."""
    top = find_top(folder)
    if top is None:
        return GitState()
    git_dir, common = find_git_folders(top)
    head = _read(git_dir / "HEAD")
    branch = os.fsdecode(head.removeprefix(b"ref:").strip())
    marks = [
        os.fsdecode(head),
        *(os.fsdecode(_read(common / name)) for name in (branch, "refs/stash") if name),
        *(_measure(git_dir / name) for name in ("logs/HEAD", "ORIG_HEAD")),
        *(_measure(common / name) for name in ("logs/refs/stash", "packed-refs")),
        *(os.fsdecode(_read(place / "reftable/tables.list")) for place in (git_dir, common)),
    ]
    index = git_dir / "index"
    return GitState(tuple(marks), _read(index, MAX_INDEX) or os.fsencode(_measure(index)))


def _read(file: Path, most: int = _MAX_FILE) -> bytes:
    try:
        with file.open("rb") as stream:
            content = stream.read(most + 1)
    except OSError:
        return b""
    return content if len(content) <= most else b""


def _measure(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def _digest(index: bytes) -> bytes:
    """Return a digest of paths, modes and contents; of another format, of all bytes."""
    try:
        parsed = parse_index(index, len(index))
    except (struct.error, ValueError, IndexError):
        return hashlib.sha256(index).digest()
    if parsed.is_split:
        return hashlib.sha256(index).digest()
    digest = hashlib.sha256()
    for entry in parsed.entries:
        digest.update(b"%o %d %s %s\0" % (entry.mode, entry.flags, entry.content, entry.name))
    return digest.digest()
