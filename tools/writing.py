"""Write a file so that at any moment it has its old content or its new one."""

import os
import secrets
import stat
from contextlib import ExitStack, suppress
from pathlib import Path

from .beneath import FOLDER, open_beneath, parent_beneath
from .files import missing_folders, refusals, remove_folder, sync_folder, writable
from .worker import check_cancelled
from .workspace import Workspace

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Writing:
    """A file's new content, whole on the disk, but not in its place yet.

    Its folder is held open from the beginning: whatever is moved meanwhile, all is done in there.
    """

    def __init__(
        self, workspace: Workspace, path: Path, data: bytes, like: os.stat_result | None = None
    ) -> None:
        """Write the content; `like` says whose mode and owner a new file gets.

        Missing folders are made; an existing file's mode, owner, ACL and user attributes are kept.
        Raises ToolRefusal with the system's reason; then nothing is left behind.
        """
        self._failed = f"`{workspace.relative(path)}` could not be written and nothing was changed"
        self._workspace, self._path, self._old = workspace, path, writable(workspace, path)
        self._temporary = f".mcode-{secrets.token_hex(8)}.tmp"
        with refusals(self._failed), ExitStack() as opened, ExitStack() as undo:
            self._made = _make_folders(workspace, path, undo)
            name = workspace.relative(path.parent)
            self._folder = open_beneath(workspace.root, name, FOLDER)
            opened.callback(os.close, self._folder)
            self._write(data, self._old or like, opened, undo)
            self._opened, self._undo = opened.pop_all(), undo.pop_all()

    def place(self) -> None:
        """Put it in its place in one step; where there was no file, there must be none now.

        Raises ToolRefusal with the system's reason; then nothing is left behind.
        """
        with refusals(self._failed), self._opened, self._undo as undo:
            check_cancelled()
            self._move()
            undo.pop_all()
        for folder in (self._path.parent, *(made.parent for made in self._made)):
            sync_folder(self._workspace, folder)

    def drop(self) -> None:
        """Leave all as it was; does nothing once it is in its place."""
        with self._opened:
            self._undo.close()

    def _write(
        self, data: bytes, old: os.stat_result | None, opened: ExitStack, undo: ExitStack
    ) -> None:
        mode = stat.S_IMODE(old.st_mode) if old else 0o666
        unnamed = _open_unnamed(self._folder, mode)
        self._is_unnamed = unnamed is not None
        if unnamed is None:
            self._descriptor = os.open(self._temporary, _CREATE, mode, dir_fd=self._folder)
        else:
            self._descriptor = unnamed
        opened.callback(os.close, self._descriptor)
        undo.callback(self._remove_temporary)
        with os.fdopen(self._descriptor, "wb", closefd=False) as file:
            file.write(data)
        if self._old:
            _keep_attributes(self._folder, self._path.name, self._descriptor)
        if old:
            _keep_owner_and_mode(self._descriptor, old)
        os.fsync(self._descriptor)

    def _move(self) -> None:
        """To its name; unlike renaming, linking fails where somebody else made a file meanwhile."""
        name = self._path.name
        if self._is_unnamed:  # named by a descriptor, `link` works only as `linkat`
            own = f"/proc/self/fd/{self._descriptor}"
            self._link(own, self._temporary if self._old else name, follow=True)
        if self._old:
            self._replace(name)
        elif not self._is_unnamed:
            self._link_or_replace(name)

    def _link_or_replace(self, name: str) -> None:
        try:
            self._link(self._temporary, name, follow=False)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            self._replace(name)
        else:
            self._remove_temporary()

    def _link(self, source: str, name: str, *, follow: bool) -> None:
        here = self._folder
        os.link(source, name, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=follow)

    def _replace(self, name: str) -> None:
        os.replace(self._temporary, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def _remove_temporary(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._temporary, dir_fd=self._folder)


def write_atomic(
    workspace: Workspace, path: Path, data: bytes, like: os.stat_result | None = None
) -> None:
    """Create or replace a file so that at any moment it has its old content or its new one.

    `path` comes from `workspace.resolve`; the rest is as `Writing` has it. Another name of the same
    file (a hard link) keeps the old content.
    """
    Writing(workspace, path, data, like).place()


def _make_folders(workspace: Workspace, path: Path, undo: ExitStack) -> list[Path]:
    """Make the folders that are missing on the way to a file; those made, the outermost first."""
    made = list[Path]()
    for folder in missing_folders(workspace, path):
        undo.callback(remove_folder, workspace, folder)
        made.append(folder)
        with (
            suppress(FileExistsError),  # somebody else makes it at this very moment
            parent_beneath(workspace.root, workspace.relative(folder)) as (at, name),
        ):
            os.mkdir(name, dir_fd=at)
    return made


def _open_unnamed(folder: int, mode: int) -> int | None:
    """A file without a name yet, so that a kill leaves nothing behind; only Linux can do this."""
    if not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode, dir_fd=folder)
    except (OSError, AttributeError):
        return None


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    """Only root may give a file away; what is ours now must not run with our rights instead."""
    mode = stat.S_IMODE(old.st_mode)
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        mode &= 0o777
        with suppress(PermissionError):
            os.fchown(descriptor, -1, old.st_gid)
    os.fchmod(descriptor, mode)


def _keep_attributes(folder: int, name: str, descriptor: int) -> None:
    """Copy an ACL and the user's own attributes; not capabilities, which a write takes away too."""
    old = f"/proc/self/fd/{folder}/{name}"
    for key in os.listxattr(old, follow_symlinks=False) if hasattr(os, "listxattr") else ():
        if key.startswith(("user.", "system.posix_acl_access")):
            with suppress(OSError):  # another file system, or gone meanwhile
                value = os.getxattr(old, key, follow_symlinks=False)
                os.setxattr(descriptor, key, value)
