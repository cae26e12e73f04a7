"""Which files of a folder may have changed, by inotify: a snapshot looks at these only.

An event is in the queue before the system call that caused it returns, so what a command has done
is known when it has ended. What no event tells is found by a full scan: `docs/decisions/0049`.
"""

import os
import re
import stat
import sys
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from errno import EMFILE, ENOMEM, ENOSPC, EXDEV
from pathlib import Path
from typing import Protocol, cast

from .exclusions import Exclusions
from .permissions import list_folders_below

# Folders; the user's other programs share the system's limit with us
MAX_WATCHED = 20_000
# New folders that are watched before the scan that finds them; more are mostly ignored ones
MAX_APPEARED = 1_000
# Seconds after which all files are looked at again, whatever the events say
TRUSTED = 300.0
# On these every change is made by this kernel, which then knows of it
LOCAL = ("bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs")
# Files that decide about others: what git ignores, and where a repository begins
_RULES = (b".gitignore", b".git")
_MOUNTS = Path("/proc/self/mountinfo")
# From `inotify(7)`: MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF,
# MOVE_SELF; ONLYDIR, DONT_FOLLOW
_MASK = 0xFCE | 0x3000000
_APPEARS = 0x100 | 0x80
_IS_FOLDER = 0x40000000


class _Event(Protocol):
    wd: int
    mask: int
    name: str


class _Events(Protocol):
    """The library's class, which has no types."""

    def add_watch(self, path: bytes, mask: int) -> int: ...
    def read(self, timeout: int) -> Sequence[_Event]: ...
    def close(self) -> None: ...


class FolderWatch:
    """Watches a folder while it is open; paths are bytes, those of folders end with a slash."""

    def __init__(self, folder: Path, out: Exclusions) -> None:
        self._root = os.fsencode(folder)
        self._out = out
        self._inotify: _Events | None = None
        self._close: Callable[[], object] = _close_nothing
        self._is_possible = sys.platform == "linux"
        self._folders = dict[int, bytes]()
        self._watched = set[bytes]()
        self._appeared = set[bytes]()
        """Folders that were not there when the watch was opened."""
        self._rules: Sequence[Path] = ()
        self._state: object = None
        """State of the rules above the folder, where nothing is watched."""
        self._until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether changes are noticed."""
        return self._inotify is not None

    def open(self, folders: Collection[bytes] | None, rules: Sequence[Path]) -> None:
        """Watch the folder and `folders` below it; a full scan must follow.

        `rules` are files above it that decide what git ignores. The watch stays closed without
        `folders`, and where the system cannot watch all of them.
        """
        self.close()
        appeared = self._list_appeared()
        if folders is None or len(folders) > MAX_WATCHED or not self._is_possible:
            return
        self._is_possible = find_file_system(self._root) in LOCAL
        if self._is_possible:
            try:
                self._open({*folders, *appeared})
            except OSError as error:
                self.close()
                # unlike a folder that is gone, a limit of the user stays
                self._is_possible = error.errno not in (ENOSPC, EMFILE, ENOMEM)
        self._rules, self._state = rules, _read_states(rules)
        self._until = time.monotonic() + TRUSTED

    def _open(self, folders: Collection[bytes]) -> None:
        from inotify_simple import INotify

        inotify = cast(_Events, INotify())
        self._inotify, self._close = inotify, weakref.finalize(self, inotify.close)
        self._add_folders(inotify, folders)

    def _add_folders(self, inotify: _Events, folders: Collection[bytes]) -> None:
        device = os.stat(self._root).st_dev
        for folder in (b"", *folders):
            path = self._root + b"/" + folder
            try:
                self._folders[inotify.add_watch(path.rstrip(b"/"), _MASK)] = folder
                if os.lstat(path).st_dev != device:
                    raise OSError(EXDEV, os.strerror(EXDEV))
            except (FileNotFoundError, NotADirectoryError):
                if not folder:
                    raise
                continue  # it went away; a new one in its place makes an event above
            self._watched.add(folder)

    def _list_appeared(self) -> set[bytes]:
        """Return the new folders and those below them: the scan that follows will find them."""
        tops = [
            path for path in self._appeared if not self._out.is_skipped_folder(os.fsdecode(path))
        ]
        self._appeared.clear()
        below = list_folders_below(self._root, tops, self._out)
        return set(below) if len(below) <= MAX_APPEARED else set()

    def keep(self, folders: Collection[bytes] | None) -> None:
        """Close the watch after a scan that has found folders which are not watched."""
        if folders is None or not self._watched.issuperset(folders):
            self.close()

    def read_changes(self) -> set[bytes] | None:
        """Return the files that may have changed since the last call; None: any file may."""
        changed = self._read_events()
        if changed is None:
            self.close()
        return changed

    def _read_events(self) -> set[bytes] | None:
        if self._inotify is None or time.monotonic() >= self._until:
            return None
        changed = set[bytes]()
        events = self._inotify.read(timeout=0)
        self._appeared = {
            self._folders[event.wd] + os.fsencode(event.name) + b"/"
            for event in events
            if event.mask & _IS_FOLDER and event.name and event.wd in self._folders
        }
        for event in events:
            folder = self._folders.get(event.wd)
            if folder is None or not event.name:  # the queue overflowed; a folder went away
                return None
            path = folder + os.fsencode(event.name)
            if self._concerns_many(path, event.mask):
                return None
            if not event.mask & _IS_FOLDER:
                changed.add(path)
        if _read_states(self._rules) != self._state or any(map(self._has_other_names, changed)):
            return None
        return changed

    def _concerns_many(self, path: bytes, mask: int) -> bool:
        """Return whether other paths than this may have changed with it."""
        if path.rpartition(b"/")[2].lower() in _RULES:
            return True
        if not mask & _IS_FOLDER or self._out.is_skipped_folder(os.fsdecode(path)):
            return False
        return bool(mask & _APPEARS) or path + b"/" in self._watched

    def _has_other_names(self, path: bytes) -> bool:
        """Return whether the file has hard links: only the name that was written makes events."""
        try:
            file_stat = os.lstat(self._root + b"/" + path)
        except OSError:
            return False
        return stat.S_ISREG(file_stat.st_mode) and file_stat.st_nlink > 1

    def close(self) -> None:
        """Stop the watch: any file may have changed."""
        self._close()
        self._inotify, self._close = None, _close_nothing
        self._folders.clear()
        self._watched.clear()


def _close_nothing() -> None:
    pass


def list_rules_above(top: Path, folder: Path) -> list[Path]:
    """Return the `.gitignore` of each folder from `top` to above `folder`."""
    above = [parent for parent in folder.parents if parent.is_relative_to(top)]
    return [parent / ".gitignore" for parent in above]


def _read_states(files: Iterable[Path]) -> list[tuple[int, int, int]]:
    states: list[tuple[int, int, int]] = []
    for path in files:
        with suppress(OSError):
            state = path.lstat()
            states.append((state.st_ino, state.st_mtime_ns, state.st_size))
    return states


def find_file_system(root: bytes) -> str:
    """Return the type of the file system that a folder is on; empty if it is not known."""
    types = dict[bytes, str]()
    try:
        for line in _MOUNTS.read_bytes().splitlines():
            point, _, kind = line.partition(b" - ")
            name = re.sub(rb"\\(\d{3})", lambda octal: bytes([int(octal[1], 8)]), point.split()[4])
            types[name.rstrip(b"/")] = kind.split()[0].decode()
    except (OSError, IndexError):
        return ""
    path = root.rstrip(b"/")
    while path not in types and path:
        path = path.rpartition(b"/")[0]
    return types.get(path, "")
