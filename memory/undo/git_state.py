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

# Bytes of an index that is compared entry by entry: some 200,000 files
MAX_INDEX = 30_000_000
_MAX_FILE = 100_000
_HEADER = struct.Struct(">4sLL")
# Of an entry: stat, mode, size; the ID of the content, flags; then the path
_STAT_SIZE, _ID_SIZE, _EXTENDED = 40, 20, 0x4000


@dataclass(frozen=True)
class GitState:
    """HEAD, its commit, the stash and the index."""

    marks: tuple[str, ...] = ()
    """Of HEAD, the branch, the stash and their logs."""
    index: bytes = b""

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
    ]
    return GitState(tuple(marks), _read(git_dir / "index", MAX_INDEX))


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
    """Return a digest of paths, modes and contents; of an unknown format, of all bytes."""
    digest = hashlib.sha256()
    try:
        name, version, count = _HEADER.unpack_from(index)
        if name != b"DIRC" or version not in (2, 3):
            return hashlib.sha256(index).digest()
        at = _HEADER.size
        for _ in range(count):
            entry, at = _read_entry(index, at)
            digest.update(entry)
    except (struct.error, ValueError):
        return hashlib.sha256(index).digest()
    return digest.digest()


def _read_entry(index: bytes, at: int) -> tuple[bytes, int]:
    """Return one entry without its file's times, and where the next one begins."""
    start = at
    mode = index[at + 24 : at + 28]
    at += _STAT_SIZE
    content = index[at : at + _ID_SIZE]
    at += _ID_SIZE
    (flags,) = struct.unpack_from(">H", index, at)
    at += 4 if flags & _EXTENDED else 2
    end = index.index(b"\0", at)
    entry = mode + content + flags.to_bytes(2, "big") + index[at : end + 1]
    return entry, start + (end - start + 8) // 8 * 8
