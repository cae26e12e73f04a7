"""A file of a folder and the content by which it is known again; what is no such file is odd."""

import hashlib
import os
import stat
from pathlib import Path

from ..text import text

LARGEST = 5_000_000
"""Bytes of one file."""

_FOR_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class UnreadableFileError(Exception):
    """What is there is no file or folder of the project."""


def read_content(folder: Path, path: str) -> bytes:
    """Those of a file of the folder; raises Odd."""
    return read_with_digest(os.path.realpath(folder), path)[1]


def compute_digest(folder: Path, path: str, content: bytes) -> str:
    """The digest of a file of the folder that holds these bytes; empty for what is odd."""
    root = os.path.realpath(folder)
    try:
        return _hash_content(root, resolve_real_path(root, path), content)
    except UnreadableFileError:
        return ""


def as_text(content: bytes) -> str | None:
    """What an instruction file says; None where it is not UTF-8, since people and models would read
    different words in it.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def read_with_digest(root: str, path: str, largest: int = LARGEST) -> tuple[str, bytes]:
    """What the file is known by, and its bytes; a link is known by where it leads, too.

    Raises Odd.
    """
    real = resolve_real_path(root, path)
    content = read_regular_file(real, largest + 1)
    if len(content) > largest:
        raise UnreadableFileError("too large")
    return _hash_content(root, real, content), content


def read_regular_file(real: str, most: int) -> bytes:
    """So many bytes of a file at most, without ever waiting for them; raises Odd."""
    try:
        handle = os.open(real, _FOR_READING)
        try:
            # asked of what was opened: by its name it may be another by now
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise UnreadableFileError("not a readable file or folder")
            with open(handle, "rb", closefd=False) as file:
                return file.read(most)
        finally:
            os.close(handle)
    except OSError as error:
        raise UnreadableFileError(
            text("cannot be read: {strerror}", strerror=error.strerror)
        ) from error


def resolve_real_path(root: str, path: str) -> str:
    """Where the path really is; raises Odd when that is nowhere, or outside of the folder."""
    try:
        real = os.path.realpath(os.path.join(root, path), strict=True)
    except (OSError, ValueError) as error:
        raise UnreadableFileError("a broken link") from error
    if os.path.commonpath([root, real]) != root:
        raise UnreadableFileError("a link to outside the folder")
    return real


def _hash_content(root: str, real: str, content: bytes) -> str:
    name = os.fsencode(os.path.relpath(real, root))
    return hashlib.sha256(name + b"\0" + content).hexdigest()
