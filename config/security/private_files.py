"""Folders and files that only their owner can use, whatever the umask."""

import errno
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


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
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
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
