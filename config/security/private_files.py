"""Folders and files for their owner alone, whatever the umask would let others do."""

import errno
import fcntl
import os
import stat
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing.

    Raises OSError; it is FileNotFoundError when another process removes the folder meanwhile.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
    if not stat.S_ISDIR(folder.stat().st_mode):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))


def replace_file(file: Path, content: bytes, mode: int = 0o600) -> None:
    """Replace a file in one step, or make it; a reader sees the old or the new, never half.

    It stays its owner's where we may give it away. Raises OSError; then nothing is left behind.
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
    """Under `sudo` a user's file stays the user's, and what a group shares stays the group's."""
    if not file.exists():
        return
    old = file.stat()
    for owner in (old.st_uid, -1):
        with suppress(OSError):  # not ours to give away, or unknown to this container
            os.chown(new, owner, old.st_gid)
            return


@contextmanager
def lock_folder(folder: Path) -> Generator[None]:
    """Wait until no other process is alone in the folder, which is made where it is missing.

    So nothing is lost that another writes between our reading and our writing. Where that cannot
    be, as on a file system without locks, nobody waits.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            make_private_folder(folder)
            held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, held)
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def restrict_to_owner(folder: Path) -> Path | None:
    """Shut others out of a folder; what they may have put there meanwhile, if anything.

    While they could write, they could plant a link to have us write elsewhere, or a file of theirs
    to be read as ours. Raises OSError.
    """
    found = folder.stat()
    if found.st_uid != os.geteuid():
        return folder
    if not found.st_mode & 0o077:
        return None
    folder.chmod(0o700)
    return next(_find_planted(folder), None) if found.st_mode & 0o022 else None


def _find_planted(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if path.is_symlink() or path.lstat().st_uid != os.geteuid():
                yield path


def open_private(path: str, flags: int) -> int:
    """For `open`: what is made is readable and writable by its owner alone."""
    return os.open(path, flags, 0o600)
