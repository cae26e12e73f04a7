"""Output of `git ls-files`: which files a snapshot has to store, and which it can."""

import os
import stat
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from .limits import LARGEST_FILE, NewFile, SkippedFiles


@dataclass
class IndexUpdate:
    """The changes that make the index equal to the folder."""

    gone: list[bytes] = field(default_factory=list[bytes])
    changed: list[bytes] = field(default_factory=list[bytes])
    new: list[NewFile] = field(default_factory=list[NewFile])
    skipped: SkippedFiles = field(default_factory=SkippedFiles)


def find_nested_repositories(folder: Path, listed: bytes) -> set[bytes]:
    """Find the repositories below the folder, each with a slash at its end."""
    entries = [(entry[:1], entry[2:]) for entry in listed.split(b"\0")]
    root = os.fsencode(folder)
    was_file = [path for tag, path in entries if tag == b"C"]
    closed = {path for tag, path in entries if tag == b"?" and path.endswith(b"/")}
    return closed | {
        path + b"/" for path in was_file if os.path.lexists(os.path.join(root, path, b".git"))
    }


def plan_index_update(folder: Path, listed: bytes, named: Set[bytes]) -> IndexUpdate:
    """Sort what `ls-files -t -z` listed, and the `named` files that it leaves out as ignored."""
    entries = [(entry[:1], entry[2:]) for entry in listed.split(b"\0") if entry]
    untracked = {path for tag, path in entries if tag == b"?" and not path.endswith(b"/")}
    tracked = {path for tag, path in entries if tag != b"?"}
    root = os.fsencode(folder)
    work = IndexUpdate()
    for path in sorted(tracked):
        _sort_tracked(root, path, work)
    for path in sorted(untracked):
        _sort_new(root, path, work)
    for path in sorted(named - untracked - tracked):
        if not _is_behind_link(root, path):
            _sort_new(root, path, work)
    return work


def _sort_tracked(root: bytes, path: bytes, work: IndexUpdate) -> None:
    """What cannot be stored any more stays as it was stored last."""
    try:
        found = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        work.gone.append(path)
        return
    except OSError:  # a folder above cannot be looked into
        work.skipped.unreadable.append(path)
        return
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISLNK(found.st_mode):
        work.gone.append(path)
    elif _can_be_stored(root, path, found, work.skipped):
        work.changed.append(path)


def _sort_new(root: bytes, path: bytes, work: IndexUpdate) -> None:
    try:
        found = os.lstat(os.path.join(root, path))
    except OSError:  # come and gone, or still to be made
        return
    is_link = stat.S_ISLNK(found.st_mode)
    if _is_gits_own(path, is_link):
        work.skipped.refused.append(path)
    elif (is_link or stat.S_ISREG(found.st_mode)) and _can_be_stored(
        root, path, found, work.skipped
    ):
        work.new.append(NewFile(found.st_size, path))


def _can_be_stored(root: bytes, path: bytes, found: os.stat_result, left: SkippedFiles) -> bool:
    if stat.S_ISLNK(found.st_mode):
        return True
    if found.st_size > LARGEST_FILE:
        left.large.append(path)
        return False
    if not os.access(os.path.join(root, path), os.R_OK):
        left.unreadable.append(path)
        return False
    return True


def _is_gits_own(path: bytes, is_link: bool) -> bool:
    """What no index takes, whatever the case: `.git` in a path, and `.gitmodules` as a link."""
    parts = path.lower().split(b"/")
    return b".git" in parts or (is_link and parts[-1] == b".gitmodules")


def _is_behind_link(root: bytes, path: bytes) -> bool:
    above = PurePosixPath(os.fsdecode(path)).parents
    return any(os.path.islink(os.path.join(root, os.fsencode(parent))) for parent in above)


def find_top(folder: Path) -> Path:
    """The top of the work tree that the folder lies in; the folder itself outside of any."""
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place
    return folder


def read_excludes(top: Path) -> bytes:
    """The repository's `info/exclude`, which a linked worktree shares; empty when there is none."""
    try:
        directory = _find_git_directory(top)
        common = directory / "commondir"
        if common.is_file():
            directory = directory / common.read_text().strip()
        exclude = directory / "info" / "exclude"
        return exclude.read_bytes() if exclude.is_file() else b""
    except (OSError, UnicodeError):
        return b""


def find_index(top: Path) -> Path | None:
    """The index of this checkout, only ever to be read; None when there is none."""
    try:
        index = _find_git_directory(top) / "index"
    except (OSError, UnicodeError):
        return None
    return index if index.is_file() else None


def _find_git_directory(top: Path) -> Path:
    """A checkout's own directory: `.git`, or where that points; raises OSError, UnicodeError."""
    directory = top / ".git"
    if directory.is_file():
        return top / directory.read_text().removeprefix("gitdir:").strip()
    return directory
