"""Whether a file system has locks: NFS without its lock service, and some FUSE ones, have none."""

import errno
import fcntl
from pathlib import Path

_REFUSED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
USE_LOCAL_DISK = (
    "its file system refuses locks: set `MAXAGENT_HOME` to a folder on a disk of this machine"
)


def choose_file_hint(error: OSError, hint: str) -> str:
    """Return the hint for an error of a file, or that its file system has no locks."""
    return USE_LOCAL_DISK if error.errno in _REFUSED else hint


def find_lock_refusal(folder: Path) -> str:
    """Return why the file system of a folder refuses locks; empty if it has them."""
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # what SQLite uses
    except OSError as error:
        return str(error.strerror) if error.errno in _REFUSED else ""
    return ""
