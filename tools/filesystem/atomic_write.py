"""Atomic writes: at any moment a file has its old content or its new one."""

import errno
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ...config.plan_files import PLANS
from ..cancellable_thread import check_cancelled
from ..result import ToolError
from ..workspace import Workspace
from .file_access import (
    find_missing_folders,
    remove_folder,
    stat_writable,
    sync_folder,
    translate_os_errors,
)
from .safe_open import open_parent

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class AtomicWriter:
    """New content of a file, complete on the disk, under a temporary name or none."""

    def __init__(
        self, workspace: Workspace, path: Path, data: bytes, like: os.stat_result | None = None
    ) -> None:
        """Write the content; `like` says whose mode and owner a new file gets.

        Missing folders are made; an existing file's mode, owner, ACL and user attributes are kept.
        Raises ToolError with the system's reason; then nothing is left behind.
        """
        self._failed = (
            f"`{workspace.to_relative(path)}` could not be written and nothing was changed"
        )
        self._workspace, self._path, self._old = workspace, path, stat_writable(workspace, path)
        self._temporary = f".mcode-{secrets.token_hex(8)}.tmp"
        with translate_os_errors(self._failed), ExitStack() as opened, ExitStack() as undo:
            self._made = _make_folders(workspace, path, undo)
            with open_parent(workspace.root, workspace.to_relative(path)) as (folder, _):
                self._same = os.fstat(folder)
                self._write_temporary(folder, data, self._old or like, opened, undo)
            self._opened, self._undo = opened.pop_all(), undo.pop_all()

    def move_into_place(self) -> None:
        """Move the content into its place in one step; a new file must not exist by then.

        Raises ToolError with the system's reason; then nothing is left behind.
        """
        with translate_os_errors(self._failed), self._opened, self._undo as undo:
            check_cancelled()
            with self._open_folder() as folder:
                self._move_to_name(folder)
            undo.pop_all()
        if self._workspace.root / PLANS in self._made:
            _ignore_plans(self._workspace)
        for made in (self._path.parent, *(made.parent for made in self._made)):
            sync_folder(self._workspace, made)

    def drop(self) -> None:
        """Remove the new content; do nothing once it is in its place."""
        with self._opened:
            self._undo.close()

    @contextmanager
    def _open_folder(self) -> Generator[int]:
        """Open the file's folder; raise OSError if another one has taken its place."""
        name = self._workspace.to_relative(self._path)
        with open_parent(self._workspace.root, name) as (folder, _):
            if not os.path.samestat(os.fstat(folder), self._same):
                raise OSError(errno.ESTALE, "its folder was moved away at this very moment")
            yield folder

    def _write_temporary(
        self,
        folder: int,
        data: bytes,
        old: os.stat_result | None,
        opened: ExitStack,
        undo: ExitStack,
    ) -> None:
        mode = stat.S_IMODE(old.st_mode) if old else 0o666
        self._unnamed = _open_unnamed(folder, mode)
        undo.callback(self._remove_temporary)  # what was unnamed is named before it replaces a file
        if self._unnamed is None:
            file = os.fdopen(os.open(self._temporary, _CREATE, mode, dir_fd=folder), "wb")
        else:  # without a name it is there as long as it is open
            opened.callback(os.close, self._unnamed)
            file = os.fdopen(self._unnamed, "wb", closefd=False)
        with file:
            file.write(data)
            file.flush()
            if self._old:
                _keep_attributes(folder, self._path.name, file.fileno())
            if old:
                _keep_owner_and_mode(file.fileno(), old)
            os.fsync(file.fileno())

    def _move_to_name(self, folder: int) -> None:
        # a new file is linked: unlike a rename, that fails if another process made it meanwhile
        temporary, name = self._temporary, self._path.name
        if self._unnamed is not None:  # named by a descriptor, `link` works only as `linkat`
            own = f"/proc/self/fd/{self._unnamed}"
            os.link(own, temporary if self._old else name, src_dir_fd=folder, dst_dir_fd=folder)
        if self._old:
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        elif self._unnamed is None:
            _link_or_replace(folder, temporary, name)

    def _remove_temporary(self) -> None:
        with suppress(OSError), self._open_folder() as folder:
            os.unlink(self._temporary, dir_fd=folder)


def write_atomic(
    workspace: Workspace, path: Path, data: bytes, like: os.stat_result | None = None
) -> None:
    """Create or replace a file in one step.

    `path` comes from `workspace.resolve`; the rest is as in `AtomicWriter`. A hard link to the file
    keeps the old content.
    """
    AtomicWriter(workspace, path, data, like).move_into_place()


def _make_folders(workspace: Workspace, path: Path, undo: ExitStack) -> list[Path]:
    """Make the missing folders above a file; return those made, the outermost first."""
    made = list[Path]()
    for folder in find_missing_folders(workspace, path):
        undo.callback(remove_folder, workspace, folder)
        made.append(folder)
        with (
            suppress(FileExistsError),  # another process made it meanwhile
            open_parent(workspace.root, workspace.to_relative(folder)) as (at, name),
        ):
            os.mkdir(name, dir_fd=at)
    return made


def _ignore_plans(workspace: Workspace) -> None:
    """Keep a folder of plans that was just made out of `git add -A`; git reads the file there."""
    with (
        suppress(OSError, ToolError),  # the plan is written all the same
        open_parent(workspace.root, f"{PLANS}/.gitignore") as (folder, name),
        os.fdopen(os.open(name, _CREATE, 0o666, dir_fd=folder), "wb") as file,
    ):
        file.write(b"*\n")


def _link_or_replace(folder: int, temporary: str, name: str) -> None:
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(temporary, dir_fd=folder)


def _open_unnamed(folder: int, mode: int) -> int | None:
    """Open a file without a name, if the system can."""
    # only Linux; a kill leaves nothing behind
    if not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode, dir_fd=folder)
    except (OSError, AttributeError):
        return None


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    # only root may give a file away; without set-user-ID, or it would run with our rights instead
    mode = stat.S_IMODE(old.st_mode)
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except OSError:  # EINVAL: a container need not know who that is
        mode &= 0o777
        with suppress(OSError):
            os.fchown(descriptor, -1, old.st_gid)
    os.fchmod(descriptor, mode)


def _keep_attributes(folder: int, name: str, descriptor: int) -> None:
    """Copy the ACL and the user's own attributes."""
    # not capabilities: any write to the file takes them away, too
    old = f"/proc/self/fd/{folder}/{name}"
    with suppress(OSError):  # not every file system has attributes: sshfs has none
        for key in os.listxattr(old, follow_symlinks=False) if hasattr(os, "listxattr") else ():
            if key.startswith(("user.", "system.posix_acl_access")):
                with suppress(OSError):  # another file system, or deleted meanwhile
                    value = os.getxattr(old, key, follow_symlinks=False)
                    os.setxattr(descriptor, key, value)
