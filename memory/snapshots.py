"""Snapshots of a folder's files, so that a thread's files can be seen, compared and taken back.

A snapshot is a git tree in a store of our own (`git_store`), named by its content: nothing changed,
same id. Outside are what the project's `.gitignore` names, caches, nested repositories, unreadable
files and the files that no tool may read. One git process when nothing changed since the last one,
three or four otherwise.
"""

import asyncio
import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..config.errors import MaxAgentError
from .file_lock import file_lock
from .git_store import GitFailed, git_program, store_of
from .put_back import ABSENT, Change, Version, put_back

CACHES = (
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".venv/",
    "node_modules/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    "*.egg-info/",
)
ATTEMPTS = 3
_TREE = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class FileChange:
    """One file that differs between two snapshots."""

    path: str
    """Relative to the folder."""
    kind: Literal["added", "modified", "deleted"]


@dataclass(frozen=True)
class Restored:
    """What a restore did."""

    paths: list[str]
    """Files put back."""
    conflicts: list[str]
    """Files left alone, because they have changed since."""


class Snapshots:
    """The snapshots of one folder."""

    def __init__(self, folder: Path, store: Path, exclude: Sequence[str]) -> None:
        """`store` holds the stores of all folders; `exclude` are gitignore patterns never stored.

        The patterns win over the project's own `.gitignore`: no `!.env` there lets it in.
        """
        patterns = [*CACHES, *exclude, *_own_data(folder, store.parent)]
        self._store = store_of(folder, store, patterns)
        self._list = ["ls-files", "-z", "-t", "-o", "-m", "-d", "--exclude-standard"]
        self._list += [f"--exclude={pattern}" for pattern in patterns]
        self._last: tuple[object, str] = ("never taken", "")

    @staticmethod
    def available() -> bool:
        """Whether git is there; without it nothing can be compared or taken back."""
        return git_program() is not None

    async def take(self) -> str:
        """Store the files as they are; the tree's id. Raises MaxAgentError when git cannot."""
        await asyncio.to_thread(self._store.create)
        async with file_lock(self._store.directory / "lock") as lock:
            for attempt in range(1, ATTEMPTS):
                try:
                    return await self._take(lock)
                except GitFailed:  # a file came or went meanwhile, or a power cut tore the index
                    if attempt > 1:
                        await asyncio.to_thread(self._store.forget_index)
            return await self._take(lock)

    async def changes(self, old: str, new: str) -> list[FileChange]:
        """What differs between two snapshots, by path."""
        found = await self._compare(old, new)
        return [FileChange(change.path, change.kind) for change in found]

    async def diff(self, old: str, new: str) -> str:
        """The difference between two snapshots, as a unified diff."""
        if old == new:
            return ""
        printed = await self._diff_trees(old, new, "-p", "--no-ext-diff", "--no-textconv")
        return printed.decode("utf-8", "replace")

    async def restore(self, old: str, new: str, *, keep: Collection[str] = ()) -> Restored:
        """Take back what changed from `old` to `new`: content and mode, byte for byte.

        A file that is no longer as in `new`, or is one to `keep`, is left alone: a conflict.
        """
        changes = await self._compare(old, new)
        ours = [change for change in changes if change.path not in keep]
        contents = await self._read([c.old.blob for c in ours if c.old != ABSENT])
        conflicts = set(await asyncio.to_thread(put_back, self._store.folder, ours, contents))
        conflicts |= {change.path for change in changes if change.path in keep}
        return Restored(
            paths=[change.path for change in changes if change.path not in conflicts],
            conflicts=[change.path for change in changes if change.path in conflicts],
        )

    async def _take(self, lock: int) -> str:
        async def git(*arguments: str, given: bytes = b"") -> bytes:
            return await self._store.git(*arguments, given=given, keep=(lock,))

        await asyncio.to_thread(self._store.unlock_index)
        listed = await git(*self._list)
        gone, present = await asyncio.to_thread(_sort, self._store.folder, listed)
        if gone:
            await git("update-index", "-z", "--force-remove", "--stdin", given=gone)
        if present:
            await git("update-index", "-z", "--add", "--remove", "--stdin", given=present)
        if self._last[0] != await asyncio.to_thread(self._store.index_state):
            tree = (await git("write-tree")).decode().strip()  # which writes to the index as well
            self._last = (await asyncio.to_thread(self._store.index_state), tree)
        return self._last[1]

    async def _compare(self, old: str, new: str) -> list[Change]:
        if old == new:
            return []
        entries = (await self._diff_trees(old, new, "--raw", "--no-abbrev", "-z")).split(b"\0")
        return [_change(*pair) for pair in zip(entries[0::2], entries[1::2], strict=False)]

    async def _diff_trees(self, old: str, new: str, *flags: str) -> bytes:
        for tree in (old, new):
            if not _TREE.fullmatch(tree):
                raise MaxAgentError(f"`{tree}` is not a snapshot")
        return await self._store.git("diff-tree", "-r", "--no-renames", *flags, old, new, "--")

    async def _read(self, blobs: Sequence[str]) -> dict[str, bytes]:
        """The contents of blobs, by id."""
        if not blobs:
            return {}
        asked = "".join(f"{blob}\n" for blob in blobs).encode()
        printed = await self._store.git("cat-file", "--batch", given=asked)
        contents: dict[str, bytes] = {}
        at = 0
        while at < len(printed):
            line_end = printed.index(b"\n", at)
            blob, kind, *size = printed[at:line_end].decode().split(" ")
            if kind != "blob":
                raise MaxAgentError(f"the snapshot has lost a file's content: {blob} {kind}")
            at = line_end + 1 + int(size[0]) + 1
            contents[blob] = printed[line_end + 1 : at - 1]
        return contents


def _sort(folder: Path, listed: bytes) -> tuple[bytes, bytes]:
    """From `ls-files -t -z`: the paths that are gone, and those that are new or changed."""
    entries = [(entry[:1], entry[2:]) for entry in listed.split(b"\0") if entry]
    gone = {path for tag, path in entries if tag == b"R"}
    present = {path for _, path in entries} - gone
    root = os.fsencode(folder)
    stored = [path for path in present if _can_be_stored(os.path.join(root, path))]
    return _joined(gone), _joined(stored)


def _can_be_stored(path: bytes) -> bool:
    """Not a nested repository, which git lists with a slash, and not unreadable."""
    return not path.endswith(b"/") and (os.path.islink(path) or os.access(path, os.R_OK))


def _joined(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in sorted(paths))


def _change(described: bytes, path: bytes) -> Change:
    """One entry of `diff-tree --raw`: `:old mode, new mode, old blob, new blob, letter`."""
    old_mode, new_mode, old_blob, new_blob, _ = described.decode().removeprefix(":").split(" ")
    return Change(os.fsdecode(path), Version(old_mode, old_blob), Version(new_mode, new_blob))


def _own_data(folder: Path, data: Path) -> list[str]:
    """The pattern that leaves our own data out, when it lies inside the folder."""
    if not data.is_relative_to(folder):
        return []
    relative = data.relative_to(folder).as_posix()
    return ["/" + re.sub(r"([\\*?\[])", r"\\\1", relative) + "/"]
