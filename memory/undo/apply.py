"""Put files of a folder into another version, never through a link and never over a change.

Safe to repeat: what is as it should be already is left as it is.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ..snapshots.file_version import ABSENT, LINK, PROGRAM, Change
from ..snapshots.working_tree import parent_of, version_on_disk

MOVED = "it changed while files were being put back"
LOST = "its content is no longer kept"


def put_back(
    folder: Path, changes: Sequence[Change], contents: Mapping[str, bytes], mark: str
) -> dict[str, str]:
    """Make the changes, from `old` to `new`; the paths left alone, with the reason in words.

    `contents` has the blobs of the new versions. `mark` is part of the names of temporary files.
    """
    # what goes away is first: its folder may stand where a file has to come back
    ordered = sorted(changes, key=lambda change: change.new != ABSENT)
    reasons = {change.path: _put(folder, change, contents, mark) for change in ordered}
    _settle(folder, changes)
    return {path: reason for path, reason in reasons.items() if reason}


def sweep(folder: Path, changes: Sequence[Change], mark: str) -> None:
    """Delete the temporary file that a killed `put_back` of this mark has left."""
    for beside in {PurePosixPath(change.path).with_name(_temporary(mark)) for change in changes}:
        with suppress(OSError), parent_of(folder, str(beside)) as (parent, name):
            os.unlink(name, dir_fd=parent)


def _put(folder: Path, change: Change, contents: Mapping[str, bytes], mark: str) -> str:
    """Empty when the path is in its new version afterwards, otherwise why not."""
    current = version_on_disk(folder, change.path)
    if current not in (change.old, change.new):
        return MOVED
    try:
        if change.new == ABSENT:
            _remove(folder, change.path, there=current != ABSENT)
        elif current != change.new:
            if change.new.blob not in contents:
                return LOST
            _write(folder, change.path, change.new.mode, contents[change.new.blob], mark)
    except OSError as error:  # a link or a folder stands in the way, the disk is full, …
        return f"it cannot be written: {error.strerror}"
    return ""


def _settle(folder: Path, changes: Sequence[Change]) -> None:
    """Have the new names on the disk as well, before anybody records that all is done."""
    for beside in {PurePosixPath(change.path).with_name("x") for change in changes}:
        with suppress(OSError), parent_of(folder, str(beside)) as (parent, _):
            os.fsync(parent)


def _temporary(mark: str) -> str:
    return f".mcode-{mark}"


def _remove(folder: Path, path: str, *, there: bool) -> None:
    """Delete the file if it is there, and the folders that are empty without it, as git does."""
    if there:
        with parent_of(folder, path) as (parent, name):
            os.unlink(name, dir_fd=parent)
    with suppress(OSError):  # not empty
        for above in PurePosixPath(path).parents[:-1]:
            with parent_of(folder, str(above)) as (parent, name):
                os.rmdir(name, dir_fd=parent)


def _write(folder: Path, path: str, mode: str, content: bytes, mark: str) -> None:
    """Put the file or link in place at once: it is never seen half-written."""
    with parent_of(folder, path, create=True) as (parent, name):
        temporary = _temporary(mark)
        try:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)
            if mode == LINK:
                os.symlink(os.fsdecode(content), temporary, dir_fd=parent)
            else:
                _write_beside(parent, name, temporary, mode == PROGRAM, content)
            with suppress(OSError):  # an empty folder holds nothing that could be lost
                os.rmdir(name, dir_fd=parent)
            os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)
            raise


def _write_beside(parent: int, name: str, temporary: str, executable: bool, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    created = os.open(temporary, flags, 0o777 if executable else 0o666, dir_fd=parent)
    with open(created, "wb") as file:
        file.write(content)
        kept = _permissions(parent, name)
        if kept is not None:
            readable = (kept & 0o444) >> 2
            os.fchmod(created, kept | readable if executable else kept & ~0o111)
        file.flush()
        os.fsync(created)


def _permissions(parent: int, name: str) -> int | None:
    """The permissions of the file that is replaced; None when there is none."""
    try:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return stat.S_IMODE(found.st_mode) if stat.S_ISREG(found.st_mode) else None
