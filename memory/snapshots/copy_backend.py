"""Snapshots without git: only files that tools named, so changes by commands are missed.

The store has git's format (`git_objects`), so git can use the same store once it is installed.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from ...config.errors import MaxAgentError
from ...config.text import text
from .file_version import ABSENT, FILE, UNKNOWN, FileVersion, PathChange, ProgressCallback
from .git_objects import (
    EMPTY_TREE,
    MissingObjectError,
    list_tree_changes,
    read_object,
    read_tree,
    write_object,
    write_tree,
)
from .limits import MAX_STORED_FILE_BYTES, SkippedFiles
from .permissions import (
    ENTRY,
    FilePermissions,
    collect_folders,
    read_permissions,
    unpack_permissions,
)
from .storage import write_atomically
from .working_tree import read_content, read_version

NO_NEWLINE = "\n\\ No newline at end of file\n"
NOTHING = "/dev/null"
TOO_LARGE = FileVersion("too large", "")


def render_diff(changes: Iterable[PathChange], contents: Mapping[str, bytes]) -> str:
    """Return the changes in git's format; `contents` has all their blobs."""
    return "".join("".join(_render_file(change, contents)) for change in changes)


def _render_file(change: PathChange, contents: Mapping[str, bytes]) -> Iterable[str]:
    path = change.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    old_name = NOTHING if change.old == ABSENT else f"a/{path}"
    new_name = NOTHING if change.new == ABSENT else f"b/{path}"
    yield f"diff --git a/{path} b/{path}\n"
    yield from _render_modes(change)
    if change.old.blob == change.new.blob:
        return
    old, new = (_get_content(version, contents) for version in (change.old, change.new))
    if b"\0" in old + new:
        yield f"Binary files {old_name} and {new_name} differ\n"
        return
    for line in unified_diff(
        _split_lines(old), _split_lines(new), _terminate_name(old_name), _terminate_name(new_name)
    ):
        yield line if line.endswith("\n") else line + NO_NEWLINE


def _terminate_name(name: str) -> str:
    """Add a tab as git does, so that a parser finds the end of a name with spaces."""
    return f"{name}\t" if " " in name else name


def _render_modes(change: PathChange) -> Iterable[str]:
    if change.old == ABSENT:
        yield f"new file mode {change.new.mode}\n"
    elif change.new == ABSENT:
        yield f"deleted file mode {change.old.mode}\n"
    elif change.old.mode != change.new.mode:
        yield f"old mode {change.old.mode}\nnew mode {change.new.mode}\n"


def _get_content(version: FileVersion, contents: Mapping[str, bytes]) -> bytes:
    return b"" if version == ABSENT else contents[version.blob]


def _split_lines(content: bytes) -> list[str]:
    """Split lines at `\\n` only, as git does."""
    *whole, last = content.decode("utf-8", "replace").split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


class CopySnapshots:
    """The snapshots of the named files of one folder, in the store `directory`."""

    def __init__(self, folder: Path, directory: Path) -> None:
        self._folder = folder
        self._objects = directory / "objects"
        # survives this process; `garbage_collection` keeps what such a file names
        self._last_tree = directory / "last-index-copies"

    def is_large(self) -> bool:
        """Return False: a snapshot of named files only is always quick."""
        return False

    def take(
        self, lock: int, named: frozenset[bytes], report: ProgressCallback | None = None
    ) -> tuple[str, SkippedFiles]:
        """Store the named files; return the tree and the skipped files."""
        if not self._folder.is_dir():
            raise MaxAgentError(text("`{folder}` is not a folder", folder=self._folder))
        left, files = SkippedFiles(), dict[bytes, FileVersion]()
        for path in named:
            version = self._store_file(os.fsdecode(path))
            if version in (TOO_LARGE, UNKNOWN):
                (left.large if version == TOO_LARGE else left.unreadable).append(path)
            elif version != ABSENT:
                files[path] = version
        if skipped := {*left.large, *left.unreadable}:  # keep the versions stored last
            last = self._read_last().items()
            files |= {path: version for path, version in last if path in skipped}
        if packed := self._collect_permissions(files, named).pack():
            files[ENTRY] = FileVersion(FILE, write_object(self._objects, "blob", packed))
        tree = write_tree(self._objects, files)
        write_atomically(self._last_tree, tree.encode())
        return tree, left

    def _read_last(self) -> dict[bytes, FileVersion]:
        """Return the files of the last snapshot, by whichever process; empty if there is none."""
        try:
            return self._read_files(self._last_tree.read_text())
        except (OSError, ValueError, MissingObjectError):
            return {}

    def list_changes(self, old: str, new: str) -> list[PathChange]:
        """Return the differences between two trees, sorted by path."""
        return list_tree_changes(self._objects, old, new)

    def load_permissions(self, tree: str) -> FilePermissions | None:
        """Return the permissions in a tree; None if an older MaxAgent wrote it."""
        if tree == EMPTY_TREE:
            return FilePermissions()
        entry = read_tree(self._objects, tree).get(ENTRY)
        return unpack_permissions(read_object(self._objects, "blob", entry.blob)) if entry else None

    def list_files(self, tree: str) -> dict[str, FileVersion]:
        files = self._read_files(tree)
        return {os.fsdecode(path): version for path, version in files.items()}

    def diff(self, old: str, new: str, paths: Collection[str] | None) -> str:
        """Return the difference as a unified diff."""
        changes = self.list_changes(old, new)
        requested_changes = [change for change in changes if paths is None or change.path in paths]
        versions = {version for change in requested_changes for version in (change.old, change.new)}
        contents = self.read_blobs([version.blob for version in versions - {ABSENT}])
        return render_diff(requested_changes, contents)

    def read_blobs(self, blobs: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of blobs by ID."""
        return {blob: read_object(self._objects, "blob", blob) for blob in blobs}

    def write_blob(self, content: bytes) -> str:
        """Store a content; return its ID."""
        return write_object(self._objects, "blob", content)

    def _collect_permissions(
        self, files: Mapping[bytes, FileVersion], named: Iterable[bytes]
    ) -> FilePermissions:
        """Return the named files' permissions; a folder still without any counts as empty."""
        root, folders = os.fsencode(self._folder), collect_folders(files)
        bare = {path for path in collect_folders(named) - folders if _is_folder(root, path)}
        deepest = bare - collect_folders(path.rstrip(b"/") for path in bare)
        return read_permissions(root, files, folders, deepest)

    def _store_file(self, path: str) -> FileVersion:
        """Store the file's current content; return its version."""
        try:
            if os.lstat(self._folder / path).st_size > MAX_STORED_FILE_BYTES:
                return TOO_LARGE
            version = read_version(self._folder, path)
            if version in (ABSENT, UNKNOWN):
                return version
            content = read_content(self._folder, path)
        except (FileNotFoundError, NotADirectoryError):
            return ABSENT
        except OSError:
            return UNKNOWN
        return FileVersion(version.mode, write_object(self._objects, "blob", content))

    def _read_files(self, tree: str) -> dict[bytes, FileVersion]:
        files = read_tree(self._objects, tree)
        files.pop(ENTRY, None)
        return files


def _is_folder(root: bytes, path: bytes) -> bool:
    """Return whether the path is a real folder, not a link to one."""
    return read_version(Path(os.fsdecode(root)), os.fsdecode(path)) != ABSENT
