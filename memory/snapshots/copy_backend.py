"""Snapshots without git: of the files that tools named, so changes by commands are not seen.

They are kept as git keeps them (`objects`): once git is installed it goes on with the same store.
"""

import asyncio
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from ...config.errors import MaxAgentError
from .diff import plain_diff
from .empty_folders import folders_of
from .file_version import ABSENT, FILE, UNKNOWN, Change, Report, Version
from .git_objects import EMPTY_TREE, read_object, read_tree, write_object, write_tree
from .limits import LARGEST_FILE, NotStored
from .permissions import ENTRY, Permissions, read_permissions, unpacked
from .working_tree import content_on_disk, version_on_disk

TOO_LARGE = Version("too large", "")


class PlainSnapshots:
    """The snapshots of the named files of one folder, in the store `directory`."""

    def __init__(self, folder: Path, directory: Path) -> None:
        self._folder = folder
        self._objects = directory / "objects"
        self._last = dict[bytes, Version]()

    async def is_large(self) -> bool:
        """Whether the first snapshot takes its time: only named files are in it."""
        return False

    async def take(
        self, lock: int, named: frozenset[bytes], report: Report | None = None
    ) -> tuple[str, NotStored]:
        """Store the named files as they are; the tree, and what is not in it."""
        return await asyncio.to_thread(self._take, named)

    async def changes(self, old: str, new: str) -> list[Change]:
        """What differs between two trees, by path."""
        return await asyncio.to_thread(self._changes, old, new)

    async def permissions(self, tree: str) -> Permissions | None:
        """Of a tree's files; None when an older MaxAgent made it."""
        return await asyncio.to_thread(self._read_permissions, tree)

    async def files(self, tree: str) -> dict[str, Version]:
        """The files of a tree, by path."""
        found = await asyncio.to_thread(self._files, tree)
        return {os.fsdecode(path): version for path, version in found.items()}

    async def diff(self, old: str, new: str, paths: Collection[str] | None) -> str:
        """The difference as a unified diff."""
        found = await self.changes(old, new)
        wanted = [change for change in found if paths is None or change.path in paths]
        versions = {version for change in wanted for version in (change.old, change.new)}
        contents = await self.read([version.blob for version in versions - {ABSENT}])
        return await asyncio.to_thread(plain_diff, wanted, contents)

    async def read(self, blobs: Sequence[str]) -> dict[str, bytes]:
        """The contents of blobs, by id."""
        return await asyncio.to_thread(self._read, blobs)

    async def write(self, content: bytes) -> str:
        """Store a content; its id."""
        return await asyncio.to_thread(write_object, self._objects, "blob", content)

    def _take(self, named: frozenset[bytes]) -> tuple[str, NotStored]:
        if not self._folder.is_dir():
            raise MaxAgentError(f"`{self._folder}` is not a folder")
        left, files = NotStored(), dict[bytes, Version]()
        for path in named:
            version = self._stored(os.fsdecode(path))
            if version in (TOO_LARGE, UNKNOWN):
                (left.large if version == TOO_LARGE else left.unreadable).append(path)
                version = self._last.get(path, ABSENT)  # stays as it was stored last
            if version != ABSENT:
                files[path] = version
        self._last = dict(files)
        if packed := self._permissions(files, named).packed():
            files[ENTRY] = Version(FILE, write_object(self._objects, "blob", packed))
        return write_tree(self._objects, files), left

    def _permissions(self, files: Mapping[bytes, Version], named: Iterable[bytes]) -> Permissions:
        """Of the named files; a folder that waits for the first of them counts as empty."""
        root, folders = os.fsencode(self._folder), folders_of(files)
        bare = {path for path in folders_of(named) - folders if _is_folder(root, path)}
        deepest = bare - folders_of(path.rstrip(b"/") for path in bare)
        return read_permissions(root, files, folders, deepest)

    def _stored(self, path: str) -> Version:
        """The file as it is, with its content in the store."""
        try:
            if os.lstat(self._folder / path).st_size > LARGEST_FILE:
                return TOO_LARGE
            version = version_on_disk(self._folder, path)
            if version in (ABSENT, UNKNOWN):
                return version
            content = content_on_disk(self._folder, path)
        except (FileNotFoundError, NotADirectoryError):
            return ABSENT
        except OSError:
            return UNKNOWN
        return Version(version.mode, write_object(self._objects, "blob", content))

    def _changes(self, old: str, new: str) -> list[Change]:
        before, after = self._files(old), self._files(new)
        return [
            Change(os.fsdecode(path), before.get(path, ABSENT), after.get(path, ABSENT))
            for path in sorted(before.keys() | after.keys())
            if before.get(path) != after.get(path)
        ]

    def _files(self, tree: str) -> dict[bytes, Version]:
        files = read_tree(self._objects, tree)
        files.pop(ENTRY, None)
        return files

    def _read_permissions(self, tree: str) -> Permissions | None:
        if tree == EMPTY_TREE:
            return Permissions()
        entry = read_tree(self._objects, tree).get(ENTRY)
        return unpacked(read_object(self._objects, "blob", entry.blob)) if entry else None

    def _read(self, blobs: Sequence[str]) -> dict[str, bytes]:
        return {blob: read_object(self._objects, "blob", blob) for blob in blobs}


def _is_folder(root: bytes, path: bytes) -> bool:
    """Whether there is a real folder, and links lead to none."""
    return version_on_disk(Path(os.fsdecode(root)), os.fsdecode(path)) != ABSENT
