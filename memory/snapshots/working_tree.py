"""Files of a folder on disk, reached without following links.

Every path is resolved from the folder's own descriptor through real folders only, so nothing
outside the folder can be read or written, even if folders are moved meanwhile.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from ...config.security.path_variants import to_canonical_path
from .file_version import (
    ABSENT,
    FILE,
    LINK,
    PROGRAM,
    UNKNOWN,
    FileVersion,
    build_folder_version,
    is_folder,
)

_CHUNK = 1 << 20


def read_version(folder: Path, path: str) -> FileVersion:
    """Return the file's version; anything behind a link counts as ABSENT.

    A folder counts as ABSENT too; if the path ends with a slash, a file does.
    """
    try:
        with open_parent(folder, path) as (parent, name):
            mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
            if is_folder(path):
                return build_folder_version(mode & 0o777) if stat.S_ISDIR(mode) else ABSENT
            if stat.S_ISLNK(mode):
                return FileVersion(LINK, hash_blob(os.fsencode(os.readlink(name, dir_fd=parent))))
            if not stat.S_ISREG(mode):
                return ABSENT if stat.S_ISDIR(mode) else UNKNOWN
            kind = PROGRAM if mode & 0o100 else FILE
            return FileVersion(kind, _hash_file(parent, name), mode & 0o777)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError:
        return UNKNOWN


def read_content(folder: Path, path: str) -> bytes:
    """Return the content of a file or the target of a link; raises OSError."""
    with open_parent(folder, path) as (parent, name):
        with suppress(OSError):
            return os.fsencode(os.readlink(name, dir_fd=parent))
        with open(_open_file(parent, name), "rb") as file:
            return file.read()


def hash_blob(content: bytes) -> str:
    """Return git's ID of a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@contextmanager
def open_parent(folder: Path, path: str, *, create: bool = False) -> Generator[tuple[int, str]]:
    """Yield a descriptor of the path's parent, reached through real folders, and the last name."""
    parts = PurePosixPath(path).parts  # its first part may be two slashes
    if not parts or path[0] == "/" or {"..", ".git"} & {to_canonical_path(p) for p in parts}:
        raise OSError(errno.EINVAL, "not a path that a snapshot may hold")
    *parents, name = parts
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


def _open_file(parent: int, name: str) -> int:
    return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)


def _hash_file(parent: int, name: str) -> str:
    """Return the `hash_blob` of a file of any size."""
    with open(_open_file(parent, name), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
        return digest.hexdigest()
