"""Placeholders: empty folders at the paths of missing protected files while commands run.

The sandbox can protect a missing path only if something exists there. Git and snapshots ignore
empty folders. A ledger in the data folder lists the placeholders; they are removed when the last
command in the project has ended, and after a kill when the next one ends or begins. The data folder
keeps them for reuse, since creating folders for each command is the expensive part.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from ...config.security.private_files import make_private_folder, replace_file

# Files that git always reads, with the content that equals a missing file
_AS_IF_MISSING = {"commondir": b".\n", "config": b"", "config.worktree": b""}


@contextmanager
def open_placeholders(store: Path) -> Generator[Callable[[Path], None]]:
    """Yield a function that creates a placeholder at a missing path; on exit, remove unused ones.

    `store` is the project's folder in the data folder.
    """
    with _open_ledger(store) as ledger:
        fcntl.flock(ledger, fcntl.LOCK_SH)
        try:
            yield partial(_create_placeholder, store, ledger)
        finally:
            _remove_placeholders(store, ledger)


def clear_leftovers(store: Path) -> None:
    """Remove the placeholders of a killed process, unless a command of another one still runs."""
    if os.path.exists(store):
        with _open_ledger(store) as ledger:
            _remove_placeholders(store, ledger)


def _open_ledger(store: Path) -> BinaryIO:
    make_private_folder(store)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
    return os.fdopen(os.open(store / "ledger", flags, 0o600), "r+b", 0)


def _create_placeholder(store: Path, ledger: BinaryIO, name: Path) -> None:
    """Create a placeholder and its missing parent folders; record each before it is created."""
    missing = [name, *name.parents]
    missing = missing[: next(at for at, place in enumerate(missing) if os.path.lexists(place))]
    for place in reversed(missing):
        ledger.write(json.dumps(str(place)).encode() + b"\n")
        with contextlib.suppress(FileExistsError, NotADirectoryError):
            _move_into_place(_get_stored_path(store, place), place)


def _get_stored_path(store: Path, place: Path) -> Path:
    """Return where the placeholder of a path is kept while it is not in place."""
    return store / hashlib.sha256(os.fsencode(place)).hexdigest()[:32]


def _move_into_place(stored: Path, place: Path) -> None:
    content = _AS_IF_MISSING.get(place.name)
    _prepare_stored(stored, content)
    try:
        (os.rename if content is None else os.link)(stored, place)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EPERM):
            raise
        _create_entry(place, content)  # on another file system


def _prepare_stored(stored: Path, content: bytes | None) -> None:
    """Create the stored placeholder; rewrite a file that was changed while it was in place."""
    if content is None:
        with contextlib.suppress(FileExistsError):
            stored.mkdir()
    elif not stored.exists() or stored.read_bytes() != content:
        replace_file(stored, content, 0o644)


def _create_entry(place: Path, content: bytes | None) -> None:
    """Create a folder, or the file with that content."""
    if content is None:
        place.mkdir()
        return
    with place.open("xb") as file:
        file.write(content)


def _remove_placeholders(store: Path, ledger: BinaryIO) -> None:
    """Remove the unchanged placeholders, if no other command needs them."""
    try:
        fcntl.flock(ledger, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    ledger.seek(0)
    for line in reversed(ledger.readlines()):
        with contextlib.suppress(OSError, ValueError):  # now the user's, or a torn line
            place = Path(json.loads(line))
            _remove_placeholder(_get_stored_path(store, place), place)
    ledger.truncate(0)


def _remove_placeholder(stored: Path, place: Path) -> None:
    if not place.is_dir():
        content = _AS_IF_MISSING.get(place.name)
        if content is not None and content.startswith(place.read_bytes()):  # a full disk has half
            place.unlink()
        return
    if place.is_symlink() or os.listdir(place):
        return
    try:
        os.rename(place, stored)
    except OSError:  # on another file system
        place.rmdir()
        return
    if os.listdir(stored):  # another process wrote into it meanwhile
        os.rename(stored, place)


@contextmanager
def restore_links(names: Iterable[Path]) -> Generator[None]:
    """On exit, restore the links among the names that were replaced or changed."""
    targets = {name: os.readlink(name) for name in names if name.is_symlink()}
    try:
        yield
    finally:
        for name, target in targets.items():
            if not (name.is_symlink() and os.readlink(name) == target):
                _restore_link(name, target)


def _restore_link(name: Path, target: str) -> None:
    """Restore a link; keep the file that replaced it under another name, as it may be work."""
    if os.path.lexists(name):
        name.rename(_find_free_name(name))
    name.parent.mkdir(parents=True, exist_ok=True)
    name.symlink_to(target)


def _find_free_name(name: Path) -> Path:
    numbered = (name.with_name(f"{name.name}.replaced-{number}") for number in range(1, 10_000))
    return next(candidate for candidate in numbered if not os.path.lexists(candidate))
