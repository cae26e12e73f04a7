"""The only place where tools open files: regular ones, read whole and replaced in one step."""

import hashlib
import os
import secrets
import stat
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from .result import ToolRefusal
from .worker import check_cancelled
from .workspace import Workspace

LARGEST = 20_000_000
"""Bytes of a file that tools take in."""

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def content_hash(data: bytes) -> str:
    """What tells one content from another."""
    return hashlib.sha256(data).hexdigest()[:16]


def read_bytes(workspace: Workspace, path: Path, limit: int = LARGEST) -> bytes:
    """A regular file's content; `path` comes from `workspace.resolve`.

    Raises ToolRefusal for anything else, for more than `limit` bytes, and with the system's reason.
    """
    name = workspace.relative(path)
    with refusals(f"`{name}` could not be read"), ExitStack() as stack:
        descriptor = os.open(path, _READ)
        stack.callback(os.close, descriptor)
        found = os.fstat(descriptor)
        _check_regular(found, name)
        if not found.st_mode & 0o444:  # for root too, whom the system would let
            raise ToolRefusal(f"`{name}` may not be read: its mode forbids it to everybody")
        small = found.st_size <= limit
        data = _read_up_to(descriptor, limit + 1) if small else b""
    if not small or len(data) > limit:
        raise ToolRefusal(
            f"`{name}` is larger than {limit:,} bytes; "
            "look at a part of it with `grep` or `run_command`"
        )
    return data


def written_path(workspace: Workspace, path: str) -> Path:
    """The real file that a call is to write; raises ToolRefusal as `workspace.resolve` does, and
    for a link, or a folder on the way that is one, that leads to nothing.
    """
    real = workspace.resolve(path)
    given = Path(os.path.normpath(workspace.root / path))
    for place in (given, *given.parents):
        if place != workspace.root and place.is_symlink() and not place.exists():
            raise ToolRefusal(
                f"`{workspace.relative(place)}` is a link that leads to nothing; "
                "name the file itself, or remove the link"
            )
    return real


def writable(workspace: Workspace, path: Path) -> os.stat_result | None:
    """What stands where a file is to be written; None when there is nothing.

    Raises ToolRefusal when it is no regular file, or one that may not be changed.
    """
    name = workspace.relative(path)
    with refusals(f"`{name}` could not be written and nothing was changed"):
        try:
            found = path.lstat()
        except FileNotFoundError:
            return None
        _check_regular(found, name)
        if not (found.st_mode & 0o222 and os.access(path, os.W_OK, effective_ids=True)):
            raise ToolRefusal(f"`{name}` is read-only and was not changed; ask the user about it")
        return found


class Writing:
    """A file's new content, whole on the disk, but not in its place yet."""

    def __init__(
        self, workspace: Workspace, path: Path, data: bytes, like: os.stat_result | None = None
    ) -> None:
        """Write the content; `like` says whose mode and owner a new file gets.

        Missing folders are made; an existing file's mode, owner, ACL and user attributes are kept.
        Raises ToolRefusal with the system's reason; then nothing is left behind.
        """
        self._failed = f"`{workspace.relative(path)}` could not be written and nothing was changed"
        self._path, self._old = path, writable(workspace, path)
        self._temporary = path.with_name(f".mcode-{secrets.token_hex(8)}.tmp")
        self._folders = [folder for folder in path.parents if not folder.exists()]
        with refusals(self._failed), ExitStack() as undo:
            for folder in reversed(self._folders):
                folder.mkdir(exist_ok=True)
                undo.callback(remove_folder, folder)
            self._write(data, self._old or like, undo)
            self._undo = undo.pop_all()

    def place(self) -> None:
        """Put it in its place in one step; where there was no file, there must be none now.

        Raises ToolRefusal with the system's reason; then nothing is left behind.
        """
        with refusals(self._failed), self._undo as undo:
            check_cancelled()
            if self._is_unnamed:  # named by a descriptor, `link` works only as `linkat`
                source = f"/proc/self/fd/{self._descriptor}"
                os.link(source, self._temporary, src_dir_fd=self._descriptor)
            if self._old is None:
                _move_to_nothing(self._temporary, self._path)
            else:
                os.replace(self._temporary, self._path)
            undo.pop_all()
        os.close(self._descriptor)
        _sync_folders([self._path.parent, *(folder.parent for folder in self._folders)])

    def drop(self) -> None:
        """Leave all as it was; does nothing once it is in its place."""
        self._undo.close()

    def _write(self, data: bytes, old: os.stat_result | None, undo: ExitStack) -> None:
        mode = stat.S_IMODE(old.st_mode) if old else 0o666
        undo.callback(self._temporary.unlink, missing_ok=True)
        unnamed = _open_unnamed(self._path.parent, mode)
        self._is_unnamed = unnamed is not None
        self._descriptor = os.open(self._temporary, _CREATE, mode) if unnamed is None else unnamed
        undo.callback(os.close, self._descriptor)
        with os.fdopen(self._descriptor, "wb", closefd=False) as file:
            file.write(data)
        if self._old:
            _keep_attributes(self._path, self._descriptor)
        if old:
            _keep_owner_and_mode(self._descriptor, old)
        os.fsync(self._descriptor)


def write_atomic(
    workspace: Workspace, path: Path, data: bytes, like: os.stat_result | None = None
) -> None:
    """Create or replace a file so that at any moment it has its old content or its new one.

    `path` comes from `workspace.resolve`; the rest is as `Writing` has it. Another name of the same
    file (a hard link) keeps the old content.
    """
    Writing(workspace, path, data, like).place()


def remove_file(workspace: Workspace, path: Path) -> None:
    """Remove a regular file; raises ToolRefusal with the system's reason."""
    with refusals(f"`{workspace.relative(path)}` could not be removed"):
        check_cancelled()
        path.unlink()
    _sync_folders([path.parent])


def remove_folder(folder: Path) -> None:
    """Remove a folder that was made for a file, unless somebody put something into it since."""
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def refusals(what: str) -> Generator[None]:
    """Turn what the system will not do into ToolRefusal: `what`, and the system's reason."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ToolRefusal(f"{what}: {reason}") from error


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


def _open_unnamed(folder: Path, mode: int) -> int | None:
    """A file without a name yet, so that a kill leaves nothing behind; only Linux can do this."""
    if not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode)
    except (OSError, AttributeError):
        return None


def _move_to_nothing(temporary: Path, path: Path) -> None:
    """Unlike renaming, linking fails where somebody else made a file meanwhile."""
    try:
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.replace(temporary, path)
    else:
        temporary.unlink()


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    """Only root may give a file away; what is ours now must not run with our rights instead."""
    mode = stat.S_IMODE(old.st_mode)
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        mode &= 0o777
        with suppress(PermissionError):
            os.fchown(descriptor, -1, old.st_gid)
    os.fchmod(descriptor, mode)


def _keep_attributes(path: Path, descriptor: int) -> None:
    """Copy an ACL and the user's own attributes; not capabilities, which a write takes away too."""
    for name in os.listxattr(path) if hasattr(os, "listxattr") else ():
        if name.startswith(("user.", "system.posix_acl_access")):
            with suppress(OSError):  # another file system, or gone meanwhile
                os.setxattr(descriptor, name, os.getxattr(path, name))


def _sync_folders(folders: Sequence[Path]) -> None:
    for folder in folders:
        with suppress(OSError):  # the file is in place; not every file system syncs folders
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
