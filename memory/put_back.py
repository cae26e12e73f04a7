"""Put files of a folder back as a snapshot has them, never through a link and never over a change.

Every path is walked from the folder's own descriptor without following links, so nothing outside
the folder can be read or written, whatever is moved meanwhile.
"""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

FILE, PROGRAM, LINK = "100644", "100755", "120000"


@dataclass(frozen=True)
class Version:
    """A file as git names it: mode and id of the content."""

    mode: str
    blob: str


ABSENT = Version("000000", "0" * 40)
UNKNOWN = Version("", "")
"""Neither a file nor a link, or not readable: equal to nothing in any snapshot."""


@dataclass(frozen=True)
class Change:
    """One path that differs between two snapshots."""

    path: str
    old: Version
    new: Version

    @property
    def kind(self) -> Literal["added", "modified", "deleted"]:
        """What happened to the file."""
        if self.old == ABSENT:
            return "added"
        return "deleted" if self.new == ABSENT else "modified"


def put_back(folder: Path, changes: Sequence[Change], contents: Mapping[str, bytes]) -> list[str]:
    """Take the changes back; returns the paths left alone because they are not as in `new`.

    `contents` has every blob of the old versions.
    """
    # what was added goes first: its folder may stand where a file has to come back
    ordered = sorted(changes, key=lambda change: change.kind != "added")
    return [change.path for change in ordered if not _take_back(folder, change, contents)]


def _take_back(folder: Path, change: Change, contents: Mapping[str, bytes]) -> bool:
    """Whether the path is as in the old snapshot afterwards."""
    current = version_on_disk(folder, change.path)
    if current != change.new:
        return current == change.old
    try:
        if change.old == ABSENT:
            _remove(folder, change.path)
        else:
            _write(folder, change.path, change.old.mode, contents[change.old.blob])
    except OSError:  # a link or a folder stands in the way, or the file may not be written
        return False
    return True


def version_on_disk(folder: Path, path: str) -> Version:
    """The file as it is; a folder, and anything behind a link, counts as ABSENT."""
    try:
        with _parent_of(folder, path) as (parent, name):
            mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                return Version(LINK, _blob_id(os.fsencode(os.readlink(name, dir_fd=parent))))
            if not stat.S_ISREG(mode):
                return ABSENT if stat.S_ISDIR(mode) else UNKNOWN
            reading = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with open(os.open(name, reading, dir_fd=parent), "rb") as file:
                return Version(PROGRAM if mode & 0o100 else FILE, _blob_id(file.read()))
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError:
        return UNKNOWN


def _blob_id(content: bytes) -> str:
    """The name that git gives to a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@contextmanager
def _parent_of(folder: Path, path: str, *, create: bool = False) -> Generator[tuple[int, str]]:
    """A descriptor of the path's parent, reached through real folders only, and the last name."""
    *parents, name = PurePosixPath(path).parts
    if {"/", "..", ".git"} & {*parents, name}:
        raise OSError(errno.EINVAL, "not a path that a snapshot may hold")
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parents:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=at)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            below = os.open(part, flags, dir_fd=at)
            os.close(at)
            at = below
        yield at, name
    finally:
        os.close(at)


def _remove(folder: Path, path: str) -> None:
    """Delete the file, and the folders that are empty without it, as git does."""
    with _parent_of(folder, path) as (parent, name):
        os.unlink(name, dir_fd=parent)
    with suppress(OSError):  # not empty
        for above in PurePosixPath(path).parents[:-1]:
            with _parent_of(folder, str(above)) as (parent, name):
                os.rmdir(name, dir_fd=parent)


def _write(folder: Path, path: str, mode: str, content: bytes) -> None:
    """Put the file or link in place at once: it is never seen half-written."""
    with _parent_of(folder, path, create=True) as (parent, name):
        temporary = f".mcode-{secrets.token_hex(8)}"
        try:
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
