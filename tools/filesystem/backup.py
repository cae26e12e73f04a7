"""Backups of files that tools overwrite, in the data folder, where configured."""

import os
from contextlib import suppress
from pathlib import Path

from ...config.security.private_files import make_private_folder
from .file_access import translate_os_errors

FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def store_content(backups: Path, name: str, data: bytes, mode: int) -> Path:
    """Write a private backup `<backups>/<number>/<name>` and return its path.

    `name` is the path relative to the project. Raises ToolError when it cannot be written: then the
    file is not overwritten either.
    """
    with translate_os_errors(f"no backup of `{name}` could be kept, so nothing was changed"):
        file = _create_next_folder(backups) / name
        make_private_folder(file.parent)
        try:
            with os.fdopen(os.open(file, FLAGS, mode & 0o700 | 0o600), "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError:
            discard(backups, file)
            raise
    return file


def discard(backups: Path, file: Path) -> None:
    """Remove a backup of a file that was not overwritten after all."""
    file.unlink(missing_ok=True)
    for folder in file.parents:
        if folder == backups:
            return
        with suppress(OSError):
            folder.rmdir()


def _create_next_folder(backups: Path) -> Path:
    """Create the folder with the next number."""
    # another call may take the same number at the same time: then try the one after it
    make_private_folder(backups)
    number = max((int(name) for name in os.listdir(backups) if name.isdecimal()), default=0)
    while True:
        number += 1
        with suppress(FileExistsError):
            folder = backups / f"{number:04}"
            folder.mkdir(mode=0o700)
            return folder
