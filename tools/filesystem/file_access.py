"""The only place where tools read and remove files: regular ones, beneath the project's root.

Every path comes from `workspace.resolve`, so it is free of links; one that was put in its place
since is an error, as `beneath` has it.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ..cancellable_thread import check_cancelled
from ..result import ToolError
from ..workspace import Workspace, make_hidden_error
from .hard_links import has_hidden_name
from .safe_open import LISTED, open_beneath, open_parent, stat_beneath

LARGEST = 20_000_000
"""Bytes of a file that tools take in."""

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def hash_content(data: bytes) -> str:
    """What tells one content from another."""
    return hashlib.sha256(data).hexdigest()[:16]


def read_bytes(workspace: Workspace, path: Path, limit: int = LARGEST) -> bytes:
    """A regular file's content.

    Raises ToolError for anything else, for more than `limit` bytes, and with the system's reason.
    """
    name = workspace.to_relative(path)
    with translate_os_errors(f"`{name}` could not be read"), ExitStack() as stack:
        descriptor = open_beneath(workspace.root, name, _READ)
        stack.callback(os.close, descriptor)
        found = os.fstat(descriptor)
        _check_regular(found, name)
        if has_hidden_name(workspace, name, found):
            raise make_hidden_error(name)
        if not found.st_mode & 0o444:  # for root too, whom the system would let
            raise ToolError(f"`{name}` may not be read: its mode forbids it to everybody")
        small = found.st_size <= limit
        data = _read_up_to(descriptor, limit + 1) if small else b""
    if not small or len(data) > limit:
        raise ToolError(
            f"`{name}` is larger than {limit:,} bytes; "
            "look at a part of it with `grep` or `run_command`"
        )
    return data


def stat_of(workspace: Workspace, path: Path) -> os.stat_result | None:
    """What is there, of a link the link itself; None when there is nothing that can be reached."""
    with suppress(OSError):
        return stat_beneath(workspace.root, workspace.to_relative(path))
    return None


def resolve_write_path(workspace: Workspace, path: str) -> Path:
    """The real file that a call is to write; raises ToolError as `workspace.resolve` does, and
    for a link, or a folder on the way that is one, that leads to nothing.
    """
    real = workspace.resolve(path)
    given = Path(os.path.normpath(workspace.root / path))
    for place in (given, *given.parents):
        if place != workspace.root and place.is_symlink() and not place.exists():
            raise ToolError(
                f"`{workspace.to_relative(place)}` is a link that leads to nothing; "
                "name the file itself, or remove the link"
            )
    return real


def stat_writable(workspace: Workspace, path: Path) -> os.stat_result | None:
    """What stands where a file is to be written; None when there is nothing.

    Raises ToolError when it is no regular file, or one that may not be changed.
    """
    name = workspace.to_relative(path)
    with translate_os_errors(f"`{name}` could not be written and nothing was changed"):
        try:
            with open_parent(workspace.root, name) as (folder, last):
                found = os.stat(last, dir_fd=folder, follow_symlinks=False)
                may = os.access(last, os.W_OK, dir_fd=folder, effective_ids=True)
        except FileNotFoundError:
            return None
        _check_regular(found, name)
        if not (found.st_mode & 0o222 and may):
            raise ToolError(f"`{name}` is read-only and was not changed; ask the user about it")
        return found


def remove_file(workspace: Workspace, path: Path) -> None:
    """Remove a file; raises ToolError with the system's reason."""
    name = workspace.to_relative(path)
    with translate_os_errors(f"`{name}` could not be removed"):
        check_cancelled()
        with open_parent(workspace.root, name) as (folder, last):
            os.unlink(last, dir_fd=folder)
    sync_folder(workspace, path.parent)


def find_missing_folders(workspace: Workspace, path: Path) -> list[Path]:
    """The folders that would have to be made for a file, the outermost first."""
    missing = list[Path]()
    for folder in path.parents:
        if stat_of(workspace, folder):
            break
        missing.insert(0, folder)
    return missing


def remove_folder(workspace: Workspace, path: Path) -> None:
    """Remove a folder that was made for a file, unless somebody put something into it since."""
    with (
        suppress(OSError),
        open_parent(workspace.root, workspace.to_relative(path)) as (folder, last),
    ):
        os.rmdir(last, dir_fd=folder)


def change_mode(workspace: Workspace, path: Path, change: Callable[[int], int]) -> None:
    """Give a regular file the mode that `change` makes of the one it has; raises ToolError."""
    name = workspace.to_relative(path)
    with translate_os_errors(f"the mode of `{name}` could not be set"), ExitStack() as stack:
        descriptor = open_beneath(workspace.root, name, _READ)
        stack.callback(os.close, descriptor)
        found = os.fstat(descriptor)
        _check_regular(found, name)
        os.fchmod(descriptor, change(stat.S_IMODE(found.st_mode)))


def sync_folder(workspace: Workspace, path: Path) -> None:
    """Have the names in a folder on the disk; not every file system can do that."""
    with suppress(OSError):
        descriptor = open_beneath(workspace.root, workspace.to_relative(path), LISTED)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def translate_os_errors(what: str) -> Generator[None]:
    """Turn what the system will not do into ToolError: `what`, and the system's reason."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ToolError(f"{what}: {reason}") from error


def _check_regular(found: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise ToolError(f"`{name}` is a folder; `list_files` shows what is in it")
    if not stat.S_ISREG(found.st_mode):
        raise ToolError(f"`{name}` is not a regular file but a pipe, device, socket or loop")


def _read_up_to(descriptor: int, limit: int) -> bytes:
    pieces: list[bytes] = []
    while limit > 0 and (piece := os.read(descriptor, min(limit, 1 << 20))):
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)
