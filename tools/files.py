"""The only place where tools open files: regular ones, read whole and replaced in one step."""

import hashlib
import os
import secrets
import stat
import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from weakref import WeakValueDictionary

from .result import ToolRefusal
from .workspace import Workspace

LARGEST = 20_000_000
"""Bytes of a file that tools take in."""

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_locks: WeakValueDictionary[Path, threading.Lock] = WeakValueDictionary()
_locks_guard = threading.Lock()


def content_hash(data: bytes) -> str:
    """What tells one content from another."""
    return hashlib.sha256(data).hexdigest()[:16]


def exclusive(path: Path) -> threading.Lock:
    """The file's lock: hold it, in a worker thread, from reading to writing."""
    with _locks_guard:
        return _locks.setdefault(path, threading.Lock())


def read_bytes(workspace: Workspace, path: Path, limit: int = LARGEST) -> bytes:
    """A regular file's content; `path` comes from `workspace.resolve`.

    Raises ToolRefusal for anything else, for more than `limit` bytes, and with the system's reason.
    """
    name = workspace.relative(path)
    with _refusals(f"`{name}` could not be read"), ExitStack() as stack:
        descriptor = os.open(path, _READ)
        stack.callback(os.close, descriptor)
        _check_regular(os.fstat(descriptor), name)
        data = _read_up_to(descriptor, limit + 1)
    if len(data) > limit:
        raise ToolRefusal(
            f"`{name}` is larger than {limit:,} bytes; "
            "look at a part of it with `grep` or `run_command`"
        )
    return data


def write_atomic(workspace: Workspace, path: Path, data: bytes) -> None:
    """Create or replace a file so that at any moment it has its old content or its new one.

    `path` comes from `workspace.resolve`; missing folders are made, an existing file keeps its mode
    and owner. Raises ToolRefusal with the system's reason; then nothing has changed.
    """
    name = workspace.relative(path)
    with _refusals(f"`{name}` could not be written and nothing was changed"):
        old = _existing(path, name)
        missing = [folder for folder in path.parents if not folder.exists()]
        with ExitStack() as undo:
            for folder in reversed(missing):
                folder.mkdir(exist_ok=True)
                undo.callback(_remove_folder, folder)
            _replace(path, data, old, undo)
            undo.pop_all()
        _sync_folders([path.parent, *(folder.parent for folder in missing)])


def _existing(path: Path, name: str) -> os.stat_result | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    _check_regular(found, name)
    if not os.access(path, os.W_OK, effective_ids=True):
        raise ToolRefusal(f"`{name}` is read-only and was not changed; ask the user about it")
    return found


def _check_regular(found: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise ToolRefusal(f"`{name}` is a folder; `list_files` shows what is in it")
    if not stat.S_ISREG(found.st_mode):
        raise ToolRefusal(f"`{name}` is not a regular file but a pipe, device, socket or loop")


def _read_up_to(descriptor: int, limit: int) -> bytes:
    pieces: list[bytes] = []
    while limit > 0 and (piece := os.read(descriptor, min(limit, 1 << 20))):
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)


def _replace(path: Path, data: bytes, old: os.stat_result | None, undo: ExitStack) -> None:
    temporary = path.with_name(f".mcode-{secrets.token_hex(8)}.tmp")
    undo.callback(temporary.unlink, missing_ok=True)
    mode = stat.S_IMODE(old.st_mode) if old else 0o666
    unnamed = _open_unnamed(path.parent, mode)
    descriptor = os.open(temporary, _CREATE, mode) if unnamed is None else unnamed
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        if old:
            _keep_owner_and_mode(descriptor, old)
        os.fsync(descriptor)
        if unnamed is not None:  # named by a descriptor, `link` works only as `linkat`
            os.link(f"/proc/self/fd/{unnamed}", temporary, src_dir_fd=unnamed)
    os.replace(temporary, path)


def _open_unnamed(folder: Path, mode: int) -> int | None:
    """A file without a name yet, so that a kill leaves nothing behind; only Linux can do this."""
    if not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode)
    except (OSError, AttributeError):
        return None


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    with suppress(PermissionError):  # only root may give a file away
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _sync_folders(folders: Sequence[Path]) -> None:
    for folder in folders:
        with suppress(OSError):  # the file is in place; not every file system syncs folders
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _remove_folder(folder: Path) -> None:
    with suppress(OSError):  # somebody else put something into it meanwhile
        folder.rmdir()


@contextmanager
def _refusals(what: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ToolRefusal(f"{what}: {reason}") from error
