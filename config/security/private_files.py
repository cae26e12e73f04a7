"""Folders and files that only their owner can use, whatever the umask."""

import errno
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

# What a file system without hard links answers
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.ENOENT)


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents.

    Raises OSError; it is FileNotFoundError if another process deletes the folder meanwhile.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
    if not stat.S_ISDIR(folder.stat().st_mode):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))


def delete_folder(folder: Path) -> None:
    """Delete a folder with all it holds, closed folders too; what remains is no error."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    for above, _, _ in os.walk(folder):
        for name in os.listdir(above):
            if os.path.isdir(place := os.path.join(above, name)) and not os.path.islink(place):
                os.chmod(place, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def replace_file(file: Path, content: bytes, mode: int = 0o600) -> None:
    """Create or replace a file atomically; a reader sees the old or the new one, never half.

    It keeps its owner if we may set it. Raises OSError; then no temporary file is left.
    """
    # the whole name may already have 255 bytes
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:40]}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        _give_to_owner_of(file, temporary)
        os.chmod(temporary, mode)
        os.replace(temporary, file)
    finally:
        Path(temporary).unlink(missing_ok=True)


def create_file(file: Path, content: bytes, mode: int = 0o600) -> None:
    """Create a file in one step: a kill or a full disk leaves no part of it.

    Raises OSError; it is FileExistsError if the name is taken, also by a link that leads nowhere.
    """
    with ExitStack() as undo:
        # a folder may be writable and not readable
        flags = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
        folder = os.open(file.parent, flags)
        undo.callback(os.close, folder)
        descriptor, source = _open_temporary(folder, mode, undo)
        with os.fdopen(descriptor, "wb", closefd=False) as stream:
            undo.callback(os.close, descriptor)
            stream.write(content)
            stream.flush()
            os.fsync(descriptor)
        try:
            os.link(source, file.name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            _write_in_place(file, content, mode)


def _write_in_place(file: Path, content: bytes, mode: int) -> None:
    with open(file, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as stream:
        try:
            stream.write(content)
            stream.flush()
        except BaseException:
            file.unlink(missing_ok=True)
            raise


def _open_temporary(folder: int, mode: int, undo: ExitStack) -> tuple[int, str]:
    """Open a file without a name where the system can; return it and the name to link."""
    if os.path.exists("/proc/self/fd"):  # only Linux
        with suppress(OSError, AttributeError):
            flags = os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC
            descriptor = os.open(".", flags, mode, dir_fd=folder)
            return descriptor, f"/proc/self/fd/{descriptor}"
    name = f".mcode-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(name, flags, mode, dir_fd=folder)
    undo.callback(os.unlink, name, dir_fd=folder)
    return descriptor, name


def _give_to_owner_of(file: Path, new: str) -> None:
    """Keep the file's owner and group: under `sudo`, a user's file stays the user's."""
    if not file.exists():
        return
    old = file.stat()
    for owner in (old.st_uid, -1):
        with suppress(OSError):  # we may not change the owner, or this container does not know it
            os.chown(new, owner, old.st_gid)
            return


@contextmanager
def lock_folder(folder: Path) -> Generator[None]:
    """Hold an exclusive lock on the folder, which is created if missing.

    So no write of another process is lost between our read and our write. On a file system without
    locks, nobody waits.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            make_private_folder(folder)
            held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, held)
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def restrict_to_owner(folder: Path) -> Path | None:
    """Make a folder private; return the first path in it that others may have planted, if any.

    A folder of another user is returned itself. While others could write, they could plant a link
    to redirect our writes, or a file for us to read as ours. Raises OSError.
    """
    status = folder.stat()
    if status.st_uid != os.geteuid():
        return folder
    if not status.st_mode & 0o077:
        return None
    folder.chmod(0o700)
    return next(_find_planted(folder), None) if status.st_mode & 0o022 else None


def _find_planted(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if path.is_symlink() or path.lstat().st_uid != os.geteuid():
                yield path


def open_private(path: str, flags: int) -> int:
    """Opener for `open`: new files are readable and writable by their owner only."""
    return os.open(path, flags, 0o600)
