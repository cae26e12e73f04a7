"""The net changes of a thread as a git tree, on top of a commit: only its own lines.

It is built in a temporary index, from the thread's file history. The user's index and the files on
the disk are not read.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from ...memory.snapshots.file_version import (
    ABSENT,
    FILE,
    LINK,
    PROGRAM,
    FileVersion,
    PathChange,
    is_folder,
)
from ...memory.snapshots.store import Snapshots
from ...memory.undo.change_chains import ChangeRun, build_chains
from ...memory.undo.history import HistoryEntry
from ...memory.undo.three_way_merge import MergeConflictError, merge_versions
from ...tools.git.diff_paths import unquote_path
from ...tools.git.isolated_git import IsolatedGit
from ...tools.git.tree_diff import list_changes, read_diff
from ...tools.git.user_git import UserGit

# Paths on a command line, each of at most 4 kB
PORTION = 100
_SUBMODULE = "160000"
_Change = TypeVar("_Change", ChangeRun, PathChange)


@dataclass(frozen=True)
class ThreadTree:
    """A commit's tree with the changes of a thread."""

    tree: str
    files: tuple[Mapping[str, str], ...]
    """`path` in the repository and `kind` of each change."""
    diff: str
    mixed: tuple[str, ...]
    """Files that also have uncommitted changes of the user, or were changed by others meanwhile."""
    whole: tuple[str, ...]
    """Those of them whose changes cannot be told apart: they are in it as they are."""
    left_out: tuple[str, ...]
    """Files that git ignores, or that are in a submodule or below a link."""


@dataclass(frozen=True)
class _FileResult:
    """The result for one file."""

    version: FileVersion
    is_mixed: bool = False
    is_whole: bool = False


async def build_thread_tree(
    isolated: IsolatedGit,
    prefix: str,
    base: str,
    entries: Sequence[HistoryEntry],
    snapshots: Snapshots,
    reverted: Sequence[HistoryEntry] = (),
) -> ThreadTree:
    """Return the tree of `base` with what the entries changed; `prefix` is the project's path.

    `reverted` leads back from changes that were undone: only where `base` has them.
    Raises UsageError if a file needs a filter that only the repository defines.
    """
    git = isolated.git
    builder = _TreeBuilder(git, base, snapshots)
    await builder.read_base()
    done = [entry for entry in entries if entry.state == "done"]
    chains = {
        f"{prefix}{path}": runs for path, runs in build_chains(done).items() if not is_folder(path)
    }
    steps = dict[str, list[PathChange]]()
    for change in (c for entry in reverted for c in entry.changes if not is_folder(c.path)):
        steps.setdefault(f"{prefix}{change.path}", []).append(change)
    chains |= {path: [] for path in steps if path not in chains}
    left_out = await builder.find_left_out(list(chains))
    await isolated.check_filters([path for path in chains if path not in left_out])
    results = {
        path: await builder.apply_runs(path, runs, steps.get(path, ()))
        for path, runs in chains.items()
        if path not in left_out
    }
    tree = await builder.write_tree({path: result.version for path, result in results.items()})
    changed = await list_changes(git, base, tree)
    changed_paths = {file["path"] for file in changed}
    return ThreadTree(
        tree,
        changed,
        await read_diff(git, base, tree),
        tuple(
            path for path, result in results.items() if result.is_mixed and path in changed_paths
        ),
        tuple(
            path for path, result in results.items() if result.is_whole and path in changed_paths
        ),
        tuple(path for path in left_out if chains[path] and chains[path][-1].new != ABSENT),
    )


class _TreeBuilder:
    """Builds one tree on top of a commit."""

    def __init__(self, git: UserGit, base: str, snapshots: Snapshots) -> None:
        self._git, self._base, self._snapshots = git, base, snapshots
        self._modes = dict[str, str]()

    async def read_base(self) -> None:
        """Read which files the commit has."""
        output = await self._git.read("ls-tree", "-r", "-z", "--full-tree", self._base)
        for entry in filter(None, output.split(b"\0")):
            mode_and_blob, path = entry.split(b"\t", 1)
            self._modes[os.fsdecode(path)] = mode_and_blob[:6].decode()

    async def find_left_out(self, paths: Sequence[str]) -> list[str]:
        """Return the paths that git would not take: new ignored ones, and those of submodules."""
        submodules = tuple(f"{path}/" for path, mode in self._modes.items() if mode == _SUBMODULE)
        left_out = {path for path in paths if submodules and path.startswith(submodules)}
        new = [path for path in paths if path not in self._modes and path not in left_out]
        # git says nothing of what is below a link
        left_out |= {path for path in new if self._is_below_link(path)}
        new = [path for path in new if path not in left_out]
        for at in range(0, len(new), PORTION):
            # it has no literal pathspecs, and `:` at the beginning would be magic
            literal = [f"./{path}" for path in new[at : at + PORTION]]
            output = await self._git.read("check-ignore", "--", *literal, allowed_codes=(0, 1))
            lines = filter(None, os.fsdecode(output).split("\n"))
            left_out |= {unquote_path(line).removeprefix("./") for line in lines}
        return sorted(left_out)

    def _is_below_link(self, path: str) -> bool:
        folders = [*Path(path).parents][:-1]
        return any((self._git.folder / folder).is_symlink() for folder in folders)

    async def apply_runs(
        self, path: str, runs: Sequence[ChangeRun], reverted: Sequence[PathChange]
    ) -> _FileResult:
        """Return the commit's version of a file with the thread's changes, in order."""
        version, content = await self._read_version(path)
        if content is not None:
            await self._snapshots.write_blob(content)
        if reverted or any(
            not _is_same(old, run.old)
            for old, run in zip((version, *(run.new for run in runs)), runs, strict=False)
        ):
            version = await self._normalize(path, version)
            runs = [await self._normalize_change(path, run) for run in runs]
            reverted = [await self._normalize_change(path, change) for change in reverted]
        for change in reverted:
            version = await self._lead_back(version, change)
        is_mixed = False
        for run in runs:
            if _is_same(version, run.old):
                version = run.new
            elif not _is_same(version, run.new):
                is_mixed = True
                try:
                    version = await merge_versions(self._snapshots, run.old, version, run.new)
                except MergeConflictError:
                    return _FileResult(runs[-1].new, is_mixed=True, is_whole=True)
        return _FileResult(version, is_mixed)

    async def _normalize_change(self, path: str, change: _Change) -> _Change:
        old = await self._normalize(path, change.old)
        return replace(change, old=old, new=await self._normalize(path, change.new))

    async def _normalize(self, path: str, version: FileVersion) -> FileVersion:
        """Return a version as git would write it: with the line ends of `.gitattributes`."""
        if version.mode not in (FILE, PROGRAM):
            return version
        content = (await self._snapshots.read_blobs([version.blob]))[version.blob]
        with TemporaryDirectory(prefix="mcode-") as folder:
            blob = await self._store_blob(path, version, content, Path(folder, "content"))
        written = await self._git.read("cat-file", "--filters", f"--path={path}", blob)
        return replace(version, blob=await self._snapshots.write_blob(written))

    async def _lead_back(self, version: FileVersion, change: PathChange) -> FileVersion:
        """Return a version without an undone change; as it is, where it does not have that."""
        if _is_same(version, change.old):
            return change.new
        if _is_same(version, change.new):
            return version
        try:
            return await merge_versions(self._snapshots, change.old, version, change.new)
        except MergeConflictError:
            return version

    async def write_tree(self, versions: Mapping[str, FileVersion]) -> str:
        """Write the commit's tree with these files."""
        blobs = {version.blob for version in versions.values() if version.has_content}
        contents = await self._snapshots.read_blobs(sorted(blobs)) if blobs else {}
        with TemporaryDirectory(prefix="mcode-") as folder:
            index_variables = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            await self._git.read("read-tree", self._base, env=index_variables)
            deleted_paths = [path for path, version in versions.items() if version == ABSENT]
            for at in range(0, len(deleted_paths), PORTION):
                removed = deleted_paths[at : at + PORTION]
                await self._git.read(
                    "update-index", "--force-remove", "--", *removed, env=index_variables
                )
            added = list[str]()
            for path, version in versions.items():
                if version != ABSENT:
                    content = contents[version.blob]
                    blob = await self._store_blob(path, version, content, Path(folder, "content"))
                    added += ["--cacheinfo", f"{version.mode},{blob},{path}"]
            for at in range(0, len(added), 2 * PORTION):
                portion = added[at : at + 2 * PORTION]
                await self._git.read("update-index", "--add", *portion, env=index_variables)
            return os.fsdecode(await self._git.read("write-tree", env=index_variables)).strip()

    async def _store_blob(self, path: str, version: FileVersion, content: bytes, file: Path) -> str:
        """Store a content in the repository, through the filters that git has for that path."""
        file.write_bytes(content)
        filter_option = "--no-filters" if version.mode == LINK else f"--path={path}"
        return os.fsdecode(
            await self._git.read("hash-object", "-w", filter_option, str(file))
        ).strip()

    async def _read_version(self, path: str) -> tuple[FileVersion, bytes | None]:
        """Return the commit's version of a file as it would be on the disk, and its content."""
        mode = self._modes.get(path)
        if mode not in (FILE, PROGRAM, LINK):
            return ABSENT, None
        content = await self._git.read("cat-file", "--filters", f"{self._base}:{path}")
        return FileVersion(mode, _hash_blob(content)), content


def _is_same(version: FileVersion, other: FileVersion) -> bool:
    """Compare as git does: of the permissions only the executable bit counts."""
    return (version.mode, version.blob) == (other.mode, other.blob)


def _hash_blob(content: bytes) -> str:
    """Return the ID that the snapshots give a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
