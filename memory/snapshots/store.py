"""Snapshots of a folder's files, to show, compare and restore the files of a thread.

A snapshot is a tree in our own store, named by its content: without changes the ID is the same.
With git it has all files except ignored ones, caches, and files beyond the `limits`. Without git it
has the files that tools named. Neither has the files that no tool may read.
"""

import asyncio
import logging
import os
import re
import time
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ...config.errors import MaxAgentError
from ...config.security.private_files import open_private
from ...config.text import text
from .exclusions import Exclusions, build_exclusions
from .file_version import PathChange, ProgressCallback
from .git_backend import GitSnapshots
from .git_objects import EMPTY_TREE, MissingObjectError
from .git_repository import FULL, GitCommandError, GitStore, find_git, run_in_thread
from .limits import SkippedFiles
from .permissions import (
    FilePermissions,
    collect_folders,
    find_changed_folders,
    find_changed_permissions,
    may_have_changed,
    with_permissions,
)
from .storage import get_store_directory, locate_worktrees, lock_store, note_folder

if TYPE_CHECKING:
    from .shared_storage import SharedStorage

FULL_DISK = "the disk is full"
_ID = re.compile(r"[0-9a-f]{40}")
_logger = logging.getLogger(__name__)


class ExplicitPaths:
    """The names, kept in a file of the store; only the holder of the store's lock may use it."""

    def __init__(self, directory: Path, out: Exclusions) -> None:
        self._file = directory / "named"
        self._out = out
        self._size = 0
        self._names = set[str]()
        """The names in the first `_size` bytes of the file, without excluded ones."""

    def add(self, paths: Sequence[str]) -> frozenset[str]:
        """Add names; return all names."""
        self._read_new_names()
        allowed = {str(PurePosixPath(path)) for path in paths if not self._out.is_excluded(path)}
        new = allowed - self._names
        if new:
            with open(self._file, "ab", opener=open_private) as file:
                # leading zero byte: a name cut off by a power failure joins no other
                file.write(b"".join(b"\0" + os.fsencode(path) + b"\0" for path in sorted(new)))
                file.flush()
                os.fsync(file.fileno())
            self._read_new_names()
        return frozenset(self._names)

    def _read_new_names(self) -> None:
        """Read what this and other processes have written since the last read."""
        try:
            with self._file.open("rb") as file:
                if os.fstat(file.fileno()).st_size < self._size:  # the store was recreated
                    self._size = 0
                    self._names.clear()
                file.seek(self._size)
                written = file.read()
        except FileNotFoundError:
            self._size = 0
            self._names.clear()
            return
        self._size += len(written)
        names = {os.fsdecode(name) for name in written.split(b"\0") if name}
        self._names |= {name for name in names if not self._out.is_excluded(name)}


class Snapshots:
    """The snapshots of one folder."""

    def __init__(
        self, folder: Path, store: Path, exclude: Sequence[str], storage: str = ""
    ) -> None:
        """`store` contains the stores of all folders; `exclude` are gitignore patterns never
        stored; `storage` is where other machines find a thread's snapshots.

        The patterns win over the project's own `.gitignore`: `!.env` there has no effect.
        """
        self.folder = folder
        self._stores, self._exclude, self._storage = store, tuple(exclude), storage
        self._shared: SharedStorage | None = None
        self.skipped = ""
        """Files that the last snapshot left out for their size or number, as a message; empty if
        there are none or the message is the same as before.
        """
        self._left_out = ""
        self._report: ProgressCallback = _report_nothing
        self._first: asyncio.Task[None] | None = None
        self.directory = get_store_directory(folder, store)
        """The store's directory."""
        self.exclusions = build_exclusions(folder, store.parent, exclude)
        self._named = ExplicitPaths(self.directory, self.exclusions)
        program = find_git(folder)
        if program:
            self._files = GitSnapshots(folder, self.directory, self.exclusions, program)
        else:
            from .copy_backend import CopySnapshots

            self._files = CopySnapshots(folder, self.directory)

    def open_for_folder(self, folder: Path) -> "Snapshots":
        """Return the snapshots of another folder with the same rules, such as a worktree."""
        return Snapshots(folder, self._stores, self._exclude, self._storage)

    @property
    def has_all_files(self) -> bool:
        """Whether snapshots have all files; without git only those that tools named."""
        return isinstance(self._files, GitSnapshots)

    def can_restore(self, path: Path) -> bool:
        """Return whether undo can restore everything at a path, as far as known before a snapshot.

        Without git, no snapshot has files that only a command names.
        """
        files = self._files
        return isinstance(files, GitSnapshots) and files.can_restore(path)

    def start_background(self) -> None:
        """Take the first snapshot of a large folder in the background: it may take half a minute.

        If it fails, the next `take` tries again.
        """
        self._first = asyncio.ensure_future(self._take_if_large())
        self._first.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def close(self) -> None:
        """Stop the background snapshot, and watching the folder."""
        if self._first:
            self._first.cancel()
            await asyncio.wait([self._first])
        if isinstance(self._files, GitSnapshots):
            self._files.close()

    @property
    def git_files(self) -> GitSnapshots:
        """The snapshots of all files; raises MaxAgentError without git."""
        if isinstance(self._files, GitSnapshots):
            return self._files
        raise MaxAgentError("a worktree needs git, and git is not installed", hint="install git")

    async def take(
        self, named_files: Sequence[str] = (), report: ProgressCallback | None = None
    ) -> str:
        """Store the files; return the tree's ID. Raises MaxAgentError on failure.

        `named_files` are files that tools name: they are included from now on, even if `.gitignore`
        lists them. `report` is called with the number of stored files and of all files if there are
        many, also for a background snapshot that this call waits for.
        """
        self._report = report or _report_nothing
        started = time.monotonic()
        try:
            tree, left = await self._take_snapshot(named_files)
        finally:
            self._report = _report_nothing
        words = left.describe()
        self.skipped = "" if words == self._left_out else words
        self._left_out = words
        _logger.info("snapshot taken in %.2f s: %s", time.monotonic() - started, tree)
        return tree

    def _report_progress(self, done: int, total: int) -> None:
        self._report(done, total)  # `_report` may change during a snapshot

    async def _take_if_large(self) -> None:
        if await run_in_thread(self._files.is_large):
            await self._take_snapshot(())  # the next `take` reports what this one leaves out

    async def _take_snapshot(self, named_files: Sequence[str]) -> tuple[str, SkippedFiles]:
        with _translate_storage_errors(self.directory):
            async with lock_store(self.directory) as lock:
                loop = asyncio.get_running_loop()

                def report(done: int, total: int) -> None:
                    loop.call_soon_threadsafe(self._report_progress, done, total)

                return await run_in_thread(self._take_locked, lock, named_files, report)

    def _take_locked(
        self, lock: int, named_files: Sequence[str], report: ProgressCallback
    ) -> tuple[str, SkippedFiles]:
        self._note_folder()
        names = frozenset(map(os.fsencode, self._named.add(named_files)))
        return self._files.take(lock, names, report)

    @property
    def is_shared(self) -> bool:
        """Whether a storage is configured, where other machines find a thread's files."""
        return bool(self._storage)

    async def share(self, thread_id: str, tree: str, outputs: Path) -> None:
        """Copy a snapshot and the thread's `outputs` to the storage, if one is configured."""
        if self._storage:
            with _translate_storage_errors(self.directory):
                await self._open_storage().push(thread_id, tree, outputs)

    async def fetch(self, thread_id: str, outputs: Path) -> tuple[str, str]:
        """Copy what other machines have added to the thread: its last snapshot, and its name there.

        Both are empty if there is nothing new.
        """
        if not self._storage:
            return "", ""
        with _translate_storage_errors(self.directory):
            return await self._open_storage().fetch(thread_id, outputs)

    async def record_fetched(self, thread_id: str, name: str) -> None:
        """Record that the folder has the files of what was fetched."""
        await asyncio.to_thread(self._open_storage().record_last, thread_id, name)

    def _open_storage(self) -> "SharedStorage":
        if self._shared is None:
            from .shared_storage import SharedStorage

            program = find_git(self.folder)
            if program is None:
                raise MaxAgentError(
                    "`storage` needs git, and git is not installed", hint="install git"
                )
            index = self.directory / "no-index"
            local = GitStore(self.folder, self.directory, self.folder, index, program)
            self._shared = SharedStorage(local, self._storage)
        return self._shared

    def _note_folder(self) -> None:
        """Record whose the store is; a worktree only borrows it."""
        if not self.folder.is_relative_to(locate_worktrees(self._stores)):
            note_folder(self.directory, self.folder)

    def has_tree(self, tree: str) -> bool:
        """Return whether a snapshot is in the store; it blocks."""
        try:
            self._files.list_changes(EMPTY_TREE, tree)
        except MissingObjectError:
            return False
        return True

    async def list_changes(self, old: str, new: str) -> list[PathChange]:
        """Return the differences between two snapshots by path; raises MissingObjectError."""
        _validate_ids(old, new)
        return [] if old == new else await run_in_thread(self.read_changes, old, new)

    def read_changes(self, old: str, new: str) -> list[PathChange]:
        """Return the differences as `list_changes` does; it blocks."""
        if old == new:
            return []
        content = self._files.list_changes(old, new)
        before, after = (self._files.load_permissions(tree) for tree in (old, new))
        changes = with_permissions(content, before, after)
        if before and after:
            changed = {change.path for change in changes}
            if may_have_changed(changed, before, after):
                files = self._files.list_files(new).items()
                same = {path: version for path, version in files if path not in changed}
                changes += find_changed_permissions(same, before, after)
            if before != after or any(change.kind != "modified" for change in changes):
                were, are = self._list_folders(old, before), self._list_folders(new, after)
                changes += find_changed_folders(were, are, before, after)
        return sorted(changes, key=lambda change: change.path)

    def _list_folders(self, tree: str, permissions: FilePermissions) -> Collection[bytes]:
        """Return the snapshot's folders that contain files."""
        if permissions.folders is not None:
            return permissions.folders
        return collect_folders(map(os.fsencode, self._files.list_files(tree)))

    async def diff(self, old: str, new: str, paths: Collection[str] | None = None) -> str:
        """Return the difference between two snapshots, of all or some files, as a unified diff.

        Raises MissingObjectError if a snapshot is gone.
        """
        _validate_ids(old, new)
        return "" if old == new else await run_in_thread(self._files.diff, old, new, paths)

    async def read_blobs(self, blobs: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of blobs by ID; raises MissingObjectError if one is gone."""
        _validate_ids(*blobs)
        return await run_in_thread(self._files.read_blobs, blobs) if blobs else {}

    async def write_blob(self, content: bytes) -> str:
        """Store a file's content; return its ID, which is git's."""
        with _translate_storage_errors(self.directory):
            await asyncio.to_thread(self._note_folder)
            return await run_in_thread(self._files.write_blob, content)


def _report_nothing(done: int, total: int) -> None:
    pass


def _validate_ids(*names: str) -> None:
    for name in names:
        if not _ID.fullmatch(name):
            raise MaxAgentError(text("`{name}` is not a snapshot", name=name))


@contextmanager
def _translate_storage_errors(directory: Path) -> Generator[None]:
    """Turn the system's errors, and git's about a full disk, into messages."""
    try:
        yield
    except GitCommandError as error:
        if FULL not in error.message:
            raise
        raise _build_error(directory, FULL_DISK) from error
    except OSError as error:
        reason = FULL_DISK if error.errno == ENOSPC else str(error.strerror)
        raise _build_error(directory, reason) from error


def _build_error(directory: Path, reason: str) -> MaxAgentError:
    remedy = "free some space" if reason == FULL_DISK else "check the data folder"
    message = text(
        "cannot store a snapshot in `{directory}`: {reason}", directory=directory, reason=reason
    )
    return MaxAgentError(message, hint=text("{remedy} and run the command again", remedy=remedy))
