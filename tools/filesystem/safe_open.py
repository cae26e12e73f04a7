"""Opening files beneath a folder without following links.

A name is checked before it is opened, and in between another process may replace a folder by a
link. So the names given here are real ones, and a link on the way is an error. Linux does that in
one step (`openat2`); elsewhere each folder is opened from the one above it.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

# to traverse a folder, or to create and remove names in it
FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
# to list or sync a folder
LIST_FLAGS = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_RDONLY

_SYSCALL = 437
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 0x02, 0x04, 0x08

_OpenFunction = Callable[[int, str, int], int]


class _How(ctypes.Structure):
    """`struct open_how` of Linux."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_beneath(root: Path, name: str, flags: int) -> int:
    """Open an existing file or folder, relative to the root; raise OSError, also for a link.

    `.` is the root itself, `flags` are those of `os.open`.
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts or "\0" in name:
        raise OSError(errno.EXDEV, "not a name beneath the folder")
    top = os.open(root, FOLDER & ~os.O_NOFOLLOW)
    try:
        if not parts:
            return os.open(".", flags, dir_fd=top)
        return (find_kernel_open() or open_by_steps)(top, "/".join(parts), flags)
    finally:
        os.close(top)


@contextmanager
def open_parent(root: Path, name: str) -> Generator[tuple[int, str]]:
    """Open the folder of `name`; yield its descriptor and the last part; raise OSError."""
    above, _, last = name.rpartition("/")
    if last == "..":
        raise OSError(errno.EXDEV, "not a name beneath the folder")
    folder = open_beneath(root, above, FOLDER)
    try:
        yield folder, last
    finally:
        os.close(folder)


def stat_beneath(root: Path, name: str) -> os.stat_result:
    """Stat `name` without following a link; raise OSError."""
    with open_parent(root, name) as (folder, last):
        return os.stat(last, dir_fd=folder, follow_symlinks=False)


def open_by_steps(top: int, name: str, flags: int) -> int:
    """Open `name` beneath the folder `top`, part by part; raises OSError."""
    *above, last = name.split("/")
    at = os.dup(top)
    try:
        for part in above:
            below = os.open(part, FOLDER, dir_fd=at)
            os.close(at)
            at = below
        return os.open(last, flags | os.O_NOFOLLOW, dir_fd=at)
    finally:
        os.close(at)


@cache
def find_kernel_open() -> _OpenFunction | None:
    """Find `openat2`; None where the kernel lacks it, or a container forbids it."""
    if sys.platform != "linux":
        return None
    top = os.open("/", FOLDER)
    try:
        os.close(_call_openat2(top, ".", FOLDER))
    except OSError:
        return None
    finally:
        os.close(top)
    return _call_openat2


def _call_openat2(top: int, name: str, flags: int) -> int:
    how = _How(flags, 0, _BENEATH | _NO_LINKS | _NO_MAGIC_LINKS)
    while True:  # EAGAIN: another process renamed something on the way
        size = ctypes.c_size_t(ctypes.sizeof(how))
        descriptor = _load_libc().syscall(_SYSCALL, top, os.fsencode(name), ctypes.byref(how), size)
        if descriptor >= 0:
            return descriptor
        reason = ctypes.get_errno()
        if reason not in (errno.EINTR, errno.EAGAIN):
            raise OSError(reason, os.strerror(reason))


@cache
def _load_libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
