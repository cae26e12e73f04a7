"""Safe application of file changes to a folder.

Links are never followed and later changes never overwritten. Applying the same changes twice is
safe: paths that already have their new version are skipped.
"""

import os
import stat
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ...config.text import text
from ..snapshots.file_version import (
    ABSENT,
    LINK,
    PROGRAM,
    FileVersion,
    PathChange,
    is_folder,
    list_parent_folders,
)
from ..snapshots.working_tree import open_parent, read_version

MOVED = "it changed during the restore"
LOST = "its content is no longer kept"


def apply_restore(
    folder: Path, changes: Sequence[PathChange], contents: Mapping[str, bytes], mark: str
) -> dict[str, str]:
    """Apply the changes, from `old` to `new`; return the skipped paths with the reasons.

    `contents` has the blobs of the new versions. `mark` is part of the names of temporary files.
    """
    # delete first: a restored file may need the place of a deleted folder
    ordered, needed_folders = sorted(changes, key=_get_order), _find_needed(changes)
    reasons = {
        change.path: _apply_change(folder, change, contents, mark, needed_folders)
        for change in ordered
    }
    reasons |= _remove_hollow_folders(folder, ordered, reasons)
    # set permissions of folders last: a read-only folder accepts no new files
    for change in reversed(ordered):
        if is_folder(change.path) and change.new.permissions is not None:
            reasons[change.path] = reasons[change.path] or _restore_permissions(folder, change)
    _sync_parents(folder, changes)
    return {path: reason for path, reason in reasons.items() if reason}


def _remove_hollow_folders(
    folder: Path, changes: Sequence[PathChange], reasons: Mapping[str, str]
) -> dict[str, str]:
    """Remove new folders that are empty because nothing could be written; return the reasons."""
    created = {c.path for c in changes if is_folder(c.path) and c.old == ABSENT != c.new}
    failed = {
        above: reason
        for path, reason in reasons.items()
        if reason
        for above in list_parent_folders(path)
        if above in created
    }
    removed: dict[str, str] = {}
    for path in sorted(failed, key=len, reverse=True):
        with suppress(OSError), open_parent(folder, path) as (parent, name):
            os.rmdir(name, dir_fd=parent)
            removed[path] = failed[path]
    return removed


def remove_leftovers(folder: Path, changes: Sequence[PathChange], mark: str) -> None:
    """Delete the temporary files that a killed `apply_restore` with this mark has left."""
    for beside in {
        PurePosixPath(change.path).with_name(_build_temporary_name(mark)) for change in changes
    }:
        with suppress(OSError), open_parent(folder, str(beside)) as (parent, name):
            os.unlink(name, dir_fd=parent)


def _get_order(change: PathChange) -> tuple[int, int]:
    """Order deletions first (files, then the deepest folders), then new folders, then new files."""
    depth = len(PurePosixPath(change.path).parts)
    if change.new == ABSENT:
        return (1, -depth) if is_folder(change.path) else (0, 0)
    return (2, depth) if is_folder(change.path) else (3, 0)


def _find_needed(changes: Sequence[PathChange]) -> set[str]:
    """Return the folders with restored content: recreated, they would lose their permissions."""
    paths = [change.path for change in changes if change.new != ABSENT]
    return {above for path in paths for above in list_parent_folders(path)}.union(paths)


def _apply_change(
    folder: Path,
    change: PathChange,
    contents: Mapping[str, bytes],
    mark: str,
    needed_folders: Collection[str],
) -> str:
    """Apply one change; return why it failed, or an empty string."""
    current = read_version(folder, change.path)
    try:
        if is_folder(change.path):
            _apply_folder(folder, change, needed_folders, there=current != ABSENT)
        elif current not in (change.old, change.new):
            return MOVED
        elif change.new == ABSENT:
            _remove_file(folder, change.path, needed_folders, there=current != ABSENT)
        elif current != change.new and not _try_set_mode(folder, change, current):
            if change.new.blob not in contents:
                return LOST
            _write_file(folder, change.path, change.new, contents[change.new.blob], mark)
    except OSError as error:  # a link or a folder is in the way, the disk is full, …
        return text("it cannot be written: {reason}", reason=error.strerror)
    return ""


def _apply_folder(
    folder: Path, change: PathChange, needed_folders: Collection[str], *, there: bool
) -> None:
    """Create the folder, private until its permissions are set; or delete it if it is empty."""
    if change.new == ABSENT:
        if there:
            with suppress(OSError), open_parent(folder, change.path) as (parent, name):
                os.rmdir(name, dir_fd=parent)
        _remove_file(folder, change.path, needed_folders, there=False)
    elif not there:
        with open_parent(folder, change.path, create=True) as (parent, name):
            os.mkdir(name, 0o777 if change.new.permissions is None else 0o700, dir_fd=parent)


def _restore_permissions(folder: Path, change: PathChange) -> str:
    """Restore the permissions of a folder; return why it failed, or an empty string."""
    if read_version(folder, change.path) != change.new:
        try:
            _set_mode(folder, change.path, change.new.permissions or 0)
        except OSError as error:
            return text("its permissions cannot be changed: {reason}", reason=error.strerror)
    return ""


def _try_set_mode(folder: Path, change: PathChange, current: FileVersion) -> bool:
    """Restore the permissions of a file with unchanged content; False if it must be rewritten."""
    permissions = change.new.permissions
    if permissions is None or change.new.mode == LINK or current.blob != change.new.blob:
        return False
    with suppress(OSError):
        _set_mode(folder, change.path, permissions)
    return read_version(folder, change.path) == change.new


def _set_mode(folder: Path, path: str, permissions: int) -> None:
    """Set the nine permission bits and keep the others; never follow a link."""
    with open_parent(folder, path) as (parent, name):
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        opened = os.open(name, flags, dir_fd=parent)
        try:
            os.fchmod(opened, stat.S_IMODE(os.fstat(opened).st_mode) & ~0o777 | permissions)
        finally:
            os.close(opened)


def _sync_parents(folder: Path, changes: Sequence[PathChange]) -> None:
    """Sync the new names to disk before the history records the restore as done."""
    for beside in {PurePosixPath(change.path).with_name("x") for change in changes}:
        with suppress(OSError), open_parent(folder, str(beside)) as (parent, _):
            os.fsync(parent)


def _build_temporary_name(mark: str) -> str:
    return f".mcode-{mark}"


def _remove_file(folder: Path, path: str, needed_folders: Collection[str], *, there: bool) -> None:
    """Delete the file if it exists, and parent folders that become empty, as git does.

    Folders in `needed_folders` are kept.
    """
    if there:
        with open_parent(folder, path) as (parent, name):
            os.unlink(name, dir_fd=parent)
    with suppress(OSError):  # not empty
        for above in list_parent_folders(path):
            if above in needed_folders:
                return
            with open_parent(folder, above) as (parent, name):
                os.rmdir(name, dir_fd=parent)


def _write_file(folder: Path, path: str, version: FileVersion, content: bytes, mark: str) -> None:
    """Write the file or link atomically: no process sees it half-written."""
    with open_parent(folder, path, create=True) as (parent, name):
        temporary = _build_temporary_name(mark)
        try:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)
            if version.mode == LINK:
                os.symlink(os.fsdecode(content), temporary, dir_fd=parent)
            else:
                _write_beside(parent, name, temporary, version, content)
            with suppress(OSError):  # deletes only an empty folder
                os.rmdir(name, dir_fd=parent)
            os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=parent)
            raise


def _write_beside(
    parent: int, name: str, temporary: str, version: FileVersion, content: bytes
) -> None:
    old_permissions = _read_permissions(parent, name)
    permissions = _choose_permissions(version, old_permissions)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    usual = 0o777 if version.mode == PROGRAM else 0o666  # the umask removes bits from this
    created = os.open(temporary, flags, usual if permissions is None else 0o600, dir_fd=parent)
    with open(created, "wb") as file:
        file.write(content)
        is_owned = _keep_owner(created, parent, name)
        if permissions is not None:  # set-user-ID would give another owner's rights
            os.fchmod(created, permissions if is_owned else permissions & 0o777)
        file.flush()
        os.fsync(created)


def _keep_owner(descriptor: int, parent: int, name: str) -> bool:
    """Give a file to the owner of the file it replaces; return whether it is that user's now."""
    current = os.fstat(descriptor)
    try:
        owner = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:  # root in a container works in the folder of another user
        owner = os.fstat(parent) if os.geteuid() == 0 else current
    if (current.st_uid, current.st_gid) == (owner.st_uid, owner.st_gid):
        return True
    for user in (owner.st_uid, -1):  # only root may give a file away
        with suppress(OSError):
            os.fchown(descriptor, user, owner.st_gid)
            break
    return os.fstat(descriptor).st_uid == owner.st_uid


def _choose_permissions(version: FileVersion, old_permissions: int | None) -> int | None:
    """Return the permissions for a file, from those of the replaced one; None for the default."""
    if version.permissions is not None:
        return version.permissions | (old_permissions or 0) & ~0o777
    if old_permissions is None:
        return None
    readable = (old_permissions & 0o444) >> 2
    return old_permissions | readable if version.mode == PROGRAM else old_permissions & ~0o111


def _read_permissions(parent: int, name: str) -> int | None:
    """Return the permissions of the file to replace; None if it does not exist."""
    try:
        file_stat = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return stat.S_IMODE(file_stat.st_mode) if stat.S_ISREG(file_stat.st_mode) else None
