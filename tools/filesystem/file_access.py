"""Reading and removing regular files beneath the project's root; all tools do it here.

Every path comes from `workspace.resolve`, so it has no links. A link put in its place since then
is an error (`safe_open`).
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
from .safe_open import LIST_FLAGS, open_beneath, open_parent, stat_beneath

# bytes of a file that tools take in
MAX_FILE_BYTES = 20_000_000

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def hash_content(data: bytes) -> str:
    """Hash a file's content, to tell whether it has changed."""
    return hashlib.sha256(data).hexdigest()[:16]


def read_bytes(workspace: Workspace, path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """Read a regular file.

    Raises ToolError for anything else, for more than `limit` bytes, and for errors of the system.
    """
    name = workspace.to_relative(path)
    with translate_os_errors(f"`{name}` could not be read"), ExitStack() as stack:
        descriptor = open_beneath(workspace.root, name, _READ)
        stack.callback(os.close, descriptor)
        stat_result = os.fstat(descriptor)
        _check_regular(stat_result, name)
        if has_hidden_name(workspace, name, stat_result):
            raise make_hidden_error(name)
        if not stat_result.st_mode & 0o444:  # also for root, for whom the system ignores the mode
            raise ToolError(f"`{name}` may not be read: its mode forbids it to everybody")
        small = stat_result.st_size <= limit
        data = _read_up_to(descriptor, limit + 1) if small else b""
    if not small or len(data) > limit:
        raise ToolError(
            f"`{name}` is larger than {limit:,} bytes; "
            "look at a part of it with `grep` or `run_command`"
        )
    return data


def get_stat(workspace: Workspace, path: Path) -> os.stat_result | None:
    """Stat a path without following a link; None if nothing can be reached there."""
    with suppress(OSError):
        return stat_beneath(workspace.root, workspace.to_relative(path))
    return None


def resolve_write_path(workspace: Workspace, path: str) -> Path:
    """Resolve the file that a call writes.

    Raises ToolError as `workspace.resolve` does, and for a link on the way that leads to nothing.
    """
    real = workspace.resolve(path)
    requested_path = Path(os.path.normpath(workspace.root / path))
    for place in (requested_path, *requested_path.parents):
        if place != workspace.root and place.is_symlink() and not place.exists():
            raise ToolError(
                f"`{workspace.to_relative(place)}` is a link that leads to nothing; "
                "name the file itself, or remove the link"
            )
    return real


def stat_writable(workspace: Workspace, path: Path) -> os.stat_result | None:
    """Stat a file that will be written; None if it does not exist.

    Raises ToolError if it is not a regular file, or not writable.
    """
    name = workspace.to_relative(path)
    with translate_os_errors(f"`{name}` could not be written and nothing was changed"):
        try:
            with open_parent(workspace.root, name) as (folder, last):
                stat_result = os.stat(last, dir_fd=folder, follow_symlinks=False)
                may = os.access(last, os.W_OK, dir_fd=folder, effective_ids=True)
        except FileNotFoundError:
            return None
        _check_regular(stat_result, name)
        if not (stat_result.st_mode & 0o222 and may):
            raise ToolError(f"`{name}` is read-only and was not changed; ask the user about it")
        return stat_result


def remove_file(workspace: Workspace, path: Path) -> None:
    """Remove a file; raises ToolError with the system's reason."""
    name = workspace.to_relative(path)
    with translate_os_errors(f"`{name}` could not be removed"):
        check_cancelled()
        with open_parent(workspace.root, name) as (folder, last):
            os.unlink(last, dir_fd=folder)
    sync_folder(workspace, path.parent)


def find_missing_folders(workspace: Workspace, path: Path) -> list[Path]:
    """Find the folders above a file that do not exist, the outermost first."""
    missing = list[Path]()
    for folder in path.parents:
        if get_stat(workspace, folder):
            break
        missing.insert(0, folder)
    return missing


def remove_folder(workspace: Workspace, path: Path) -> None:
    """Remove a folder that was made for a file, if it is still empty."""
    with (
        suppress(OSError),
        open_parent(workspace.root, workspace.to_relative(path)) as (folder, last),
    ):
        os.rmdir(last, dir_fd=folder)


def change_mode(workspace: Workspace, path: Path, change: Callable[[int], int]) -> None:
    """Set a regular file's mode to `change(mode)`; raise ToolError on failure."""
    name = workspace.to_relative(path)
    with translate_os_errors(f"the mode of `{name}` could not be set"), ExitStack() as stack:
        descriptor = open_beneath(workspace.root, name, _READ)
        stack.callback(os.close, descriptor)
        stat_result = os.fstat(descriptor)
        _check_regular(stat_result, name)
        os.fchmod(descriptor, change(stat.S_IMODE(stat_result.st_mode)))


def sync_folder(workspace: Workspace, path: Path) -> None:
    """Write the names in a folder to the disk."""
    with suppress(OSError):  # not every file system can
        descriptor = open_beneath(workspace.root, workspace.to_relative(path), LIST_FLAGS)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def translate_os_errors(problem: str) -> Generator[None]:
    """Raise ToolError for OSError: `problem`, and the system's reason."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ToolError(f"{problem}: {reason}") from error


def _check_regular(stat_result: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(stat_result.st_mode):
        raise ToolError(f"`{name}` is a folder; `list_files` shows what is in it")
    if not stat.S_ISREG(stat_result.st_mode):
        raise ToolError(f"`{name}` is not a regular file but a pipe, device, socket or loop")


def _read_up_to(descriptor: int, limit: int) -> bytes:
    parts: list[bytes] = []
    while limit > 0 and (piece := os.read(descriptor, min(limit, 1 << 20))):
        parts.append(piece)
        limit -= len(piece)
    return b"".join(parts)
