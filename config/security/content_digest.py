"""Digests of a folder's files, to detect changes."""

import hashlib
import os
import stat
from pathlib import Path

from ..text import text

MAX_FILE_BYTES = 5_000_000  # bytes of one file

# NONBLOCK: a named pipe must not stop the reader; NOFOLLOW: links are resolved before
_FOR_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class UnreadableFileError(Exception):
    """The path is not a readable file or folder of the project."""


def read_content(folder: Path, path: str) -> bytes:
    """Read a file of the folder; raises UnreadableFileError."""
    return read_with_digest(os.path.realpath(folder), path)[1]


def compute_digest(folder: Path, path: str, content: bytes) -> str:
    """Compute the digest of a file with these bytes; empty for an unreadable path."""
    root = os.path.realpath(folder)
    try:
        return hash_content(root, resolve_real_path(root, path), content)
    except UnreadableFileError:
        return ""


def as_text(content: bytes) -> str | None:
    """Decode an instruction file; None if it is not UTF-8."""
    # in any other encoding users and models would read different text
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def decode_beginning(content: bytes, most: int) -> str:
    """Decode the first whole lines of at most `most` bytes; empty if it is not text."""
    if len(content) > most:
        content = content[:most].rpartition(b"\n")[0]
    return as_text(content) or ""


def read_with_digest(root: str, path: str, largest: int = MAX_FILE_BYTES) -> tuple[str, bytes]:
    """Read a file with its digest; a link's target is part of it.

    Raises UnreadableFileError.
    """
    real = resolve_real_path(root, path)
    content = read_regular_file(real, largest + 1)
    if len(content) > largest:
        raise UnreadableFileError("too large")
    return hash_content(root, real, content), content


def read_regular_file(real: str, most: int) -> bytes:
    """Read at most that many bytes without blocking; raises UnreadableFileError."""
    try:
        handle = os.open(real, _FOR_READING)
        try:
            # checks the open file: its name may belong to another one since
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise UnreadableFileError("not a readable file or folder")
            with open(handle, "rb", closefd=False) as file:
                return file.read(most)
        finally:
            os.close(handle)
    except OSError as error:
        raise UnreadableFileError(
            text("cannot be read: {reason}", reason=error.strerror)
        ) from error


def resolve_real_path(root: str, path: str) -> str:
    """Resolve the path; raises UnreadableFileError if it leads out of the folder."""
    try:
        real = os.path.realpath(os.path.join(root, path), strict=True)
    except (OSError, ValueError) as error:
        raise UnreadableFileError("a broken link") from error
    if os.path.commonpath([root, real]) != root:
        raise UnreadableFileError("a link to outside the folder")
    return real


def hash_content(root: str, real: str, content: bytes) -> str:
    """Hash the bytes of a file with its real path below the root."""
    name = os.fsencode(os.path.relpath(real, root))
    return hashlib.sha256(name + b"\0" + content).hexdigest()
