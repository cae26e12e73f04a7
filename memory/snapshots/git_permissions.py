"""The permissions and empty folders of git's trees: found in the folder, added to the tree."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from ...config.security.private_files import private_opener
from .empty_folders import empty_below, folders_of, without_files
from .exclusions import LeftOut
from .git_objects import EMPTY_TREE, Lost, read_object, with_entry, write_object
from .git_repository import GitStore
from .permissions import ENTRY, Permissions, read_permissions, unpacked

Git = Callable[..., Awaitable[bytes]]
_KEPT = 8
"""Snapshots whose permissions are remembered: the next question is about the last of them."""
_IGNORE_FILE = b".gitignore"


class GitPermissions:
    """Those of one folder; used by the holder of the store's lock alone, but for `read`."""

    def __init__(self, out: LeftOut) -> None:
        self._out = out
        self._index: object = object()  # no state that an index has
        self._files = set[bytes]()
        self._folders = set[bytes]()
        self._rules: object = None
        """State of the files that say what is ignored."""
        self._ignored = dict[bytes, bool]()
        """Of folders without a file, as long as the rules are the same."""
        self._known = dict[str, Permissions]()
        self._last = ("", b"")
        """A tree of git and its content."""

    async def follow(
        self,
        before: object,
        after: object,
        present: Sequence[bytes],
        gone: Sequence[bytes],
        git: Git,
    ) -> None:
        """Know the files of the index, which was in one state and now is in another.

        `git` runs git while the store is held.
        """
        if self._index != before:
            self._files = {path for path in (await git("ls-files", "-z")).split(b"\0") if path}
        elif before == after:
            return
        self._files = self._files.difference(gone).union(present)
        self._folders = await asyncio.to_thread(folders_of, self._files)
        self._index = after

    async def add(self, store: GitStore, tree: str, git: Git) -> str:
        """The tree with the permissions of its files, after `follow`."""
        found = await self._look(store)
        packed = found.packed()
        if not packed:
            return tree
        objects = store.directory / "objects"
        if self._last[0] != tree:
            self._last = (tree, await _content(objects, tree, git))
        # each time, for nobody keeps them before a history names them
        full = await asyncio.to_thread(_write, store, self._last[1], packed)
        self._remember(full, found)
        return full

    async def read(self, store: GitStore, tree: str) -> Permissions | None:
        """Those of a tree; None when an older MaxAgent made it."""
        if tree == EMPTY_TREE:
            return Permissions()
        if tree not in self._known:
            asked = f"{tree}:{ENTRY.decode()}\n".encode()
            printed = await store.git("cat-file", "--batch", given=asked)
            head, _, content = printed.partition(b"\n")
            if head.endswith(b" missing"):
                return None
            self._remember(tree, unpacked(content.removesuffix(b"\n")))
        return self._known[tree]

    def _remember(self, tree: str, found: Permissions) -> None:
        self._known.pop(tree, None)
        self._known[tree] = found
        for old in list(self._known)[:-_KEPT]:
            del self._known[old]

    async def _look(self, store: GitStore) -> Permissions:
        root = os.fsencode(store.folder)
        rules = await asyncio.to_thread(_states, root, self._files)
        if rules != self._rules:
            self._rules, self._ignored = rules, {}
        bare = await asyncio.to_thread(without_files, root, self._folders, self._out)
        open_folders = await self._not_ignored(store, bare)
        below = await asyncio.to_thread(empty_below, root, open_folders, self._out)
        empty = await self._not_ignored(store, below)
        self._ignored = {path: self._ignored[path] for path in (*bare, *below)}
        return await asyncio.to_thread(read_permissions, root, self._files, self._folders, empty)

    async def _not_ignored(self, store: GitStore, folders: Sequence[bytes]) -> list[bytes]:
        """Of these folders those that no `.gitignore` names."""
        asked = [path for path in folders if path not in self._ignored]
        if asked:
            given = b"".join(b"./" + path.rstrip(b"/") + b"\0" for path in asked)
            flags = ("check-ignore", "--no-index", "-z", "--stdin")
            named = (await store.git(*flags, given=given, fine=(0, 1))).split(b"\0")
            ignored = {path.removeprefix(b"./") + b"/" for path in named}
            self._ignored |= {path: path in ignored for path in asked}
        return [path for path in folders if not self._ignored[path]]


async def _content(objects: Path, tree: str, git: Git) -> bytes:
    try:
        return await asyncio.to_thread(read_object, objects, "tree", tree)
    except Lost:  # it is in a pack
        return await git("cat-file", "tree", tree)


def _write(store: GitStore, tree: bytes, packed: bytes) -> str:
    objects = store.directory / "objects"
    blob = write_object(objects, "blob", packed)
    full = write_object(objects, "tree", with_entry(tree, ENTRY, blob))
    with open(store.last_tree, "w", encoding="ascii", opener=private_opener) as file:
        file.write(full)
    return full


def _states(root: bytes, files: Iterable[bytes]) -> list[tuple[bytes, int, int]]:
    """Something that differs whenever a file with rules of what to ignore was written."""
    found: list[tuple[bytes, int, int]] = []
    for path in files:
        if path.endswith(_IGNORE_FILE):
            with suppress(OSError):
                state = os.lstat(root + b"/" + path)
                found.append((path, state.st_mtime_ns, state.st_size))
    return found
