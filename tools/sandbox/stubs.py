"""What stands in the place of missing protected files while commands run: empty folders.

A name that does not exist can only be held by putting something there. Empty folders are seen by
neither git nor snapshots. A ledger in the data folder names those that are ours: they go when the
last command in the project has ended, and after a kill when the next one ends or begins.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

_AS_IF_MISSING = {"commondir": b".\n", "config": b"", "config.worktree": b""}
"""Files that git reads wherever they are, with what they say to it when they say nothing new."""


@contextmanager
def standing(ledger: Path) -> Generator[Callable[[Path], None]]:
    """While it is open whatever stands stays; what it gives puts something in a missing place."""
    with _opened(ledger) as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        try:
            yield partial(_stand, file)
        finally:
            _clear(file)


def clear(ledger: Path) -> None:
    """Remove what a killed process has left standing, unless another's command still runs."""
    if ledger.exists():
        with _opened(ledger) as file:
            _clear(file)


def _opened(ledger: Path) -> BinaryIO:
    ledger.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.fdopen(os.open(ledger, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b", 0)


def _stand(file: BinaryIO, name: Path) -> None:
    """Put something there, in folders that may be missing too, each on record before it is."""
    missing = [name, *name.parents]
    missing = missing[: next(at for at, place in enumerate(missing) if os.path.lexists(place))]
    for place in reversed(missing):
        file.write(json.dumps(str(place)).encode() + b"\n")
        with contextlib.suppress(FileExistsError):
            _make(place)


def _make(place: Path) -> None:
    if place.name not in _AS_IF_MISSING:
        place.mkdir()
        return
    with place.open("xb") as file:
        file.write(_AS_IF_MISSING[place.name])


def _clear(file: BinaryIO) -> None:
    """Remove what is ours and still says nothing, if nobody else needs it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    file.seek(0)
    for line in reversed(file.readlines()):
        with contextlib.suppress(OSError, ValueError):  # the user's by now, or torn
            _remove(Path(json.loads(line)))
    file.truncate(0)


def _remove(place: Path) -> None:
    if place.is_symlink() or place.is_dir():
        place.rmdir()
    elif place.read_bytes() == _AS_IF_MISSING.get(place.name):
        place.unlink()
