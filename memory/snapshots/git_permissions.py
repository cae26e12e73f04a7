"""Permissions and empty folders, which git's trees leave out: read from disk, added to trees."""

import os
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from contextlib import suppress
from pathlib import Path

from ...config.security.private_files import open_private
from .exclusions import Exclusions
from .git_objects import EMPTY_TREE, MissingObjectError, add_entry, read_object, write_object
from .git_repository import GitStore
from .permissions import (
    ENTRY,
    MAX_FOLDERS,
    FilePermissions,
    build_permissions,
    collect_folders,
    find_bare_folders,
    find_empty_folders,
    list_folders_below,
    read_folder_modes,
    read_modes,
    unpack_permissions,
)

RunGit = Callable[..., bytes]
# Snapshots whose permissions are cached: the next request is usually for the latest
_KEPT = 8
# So many files that come or go are sorted in one by one
_FEW = 200
_IGNORE_FILE = b".gitignore"


class GitPermissions:
    """Permissions of one folder; needs the store's lock, except for `load_permissions`."""

    def __init__(self, out: Exclusions) -> None:
        self._out = out
        self._index: object = object()  # equals no state of an index
        self._files = set[bytes]()
        self._sorted = list[bytes]()
        """The same: neighbours are found faster in turn."""
        self._folders = list[bytes]()
        """Those with files, sorted."""
        self._with_files = frozenset[bytes]()
        """The same."""
        self._others = dict[bytes, list[bytes]]()
        """Folders without files that are not ignored, each with its subfolders."""
        self._modes = dict[bytes, int]()
        """Modes of the files at the last scan."""
        self._of_folders = dict[bytes, int]()
        self._scanned: FilePermissions | None = None
        """The result; None if other folders have files since."""
        self._rule_files = list[bytes]()
        self._rules: object = None
        """State of the ignore files."""
        self._ignored = dict[bytes, bool]()
        """Whether folders without files are ignored, valid while the rules are the same."""
        self._known = dict[str, FilePermissions]()
        self._last = ("", b"")
        """A tree of git and its content."""

    def follow_index(
        self,
        before: object,
        after: object,
        present: Sequence[bytes],
        deleted_paths: Sequence[bytes],
        git: RunGit,
    ) -> None:
        """Update the list of files after the index changed from state `before` to `after`.

        `git` runs git while the store is locked.
        """
        if self._index != before:
            paths = git("ls-files", "-z").split(b"\0")
            self._set_files({path for path in paths if path})
        elif before == after:
            return
        if not (self._files.issuperset(present) and self._files.isdisjoint(deleted_paths)):
            self._update_files(present, deleted_paths)
        self._index = after

    def is_at(self, index: object) -> bool:
        """Return whether the list of files is that of the index in this state."""
        return self._index == index

    @property
    def files(self) -> Set[bytes]:
        """The files in the index."""
        return self._files

    @property
    def folders(self) -> list[bytes] | None:
        """The folders where a change may concern the next snapshot; None if they are too many."""
        return [*self._folders, *self._others] if len(self._others) < MAX_FOLDERS else None

    def _update_files(self, present: Sequence[bytes], deleted_paths: Sequence[bytes]) -> None:
        new = {path for path in present if path not in self._files}
        removed = {path for path in deleted_paths if path in self._files}
        folders = {_get_folder(path) for path in (*new, *removed)}
        self._files -= removed
        self._files |= new
        if len(new) + len(removed) <= _FEW and folders <= self._with_files:
            for path in new:
                insort(self._sorted, path)
            for path in removed:
                del self._sorted[bisect_left(self._sorted, path)]
            if all(map(self._has_files, folders)):
                return
        self._set_files(self._files)

    def _has_files(self, folder: bytes) -> bool:
        at = bisect_left(self._sorted, folder)
        return at < len(self._sorted) and self._sorted[at].startswith(folder)

    def _set_files(self, files: set[bytes]) -> None:
        self._files, self._sorted = files, sorted(files)
        self._with_files = frozenset({b"", *collect_folders(files)})
        self._folders = sorted(self._with_files - {b""})
        self._rule_files = [path for path in self._sorted if path.endswith(_IGNORE_FILE)]
        self._scanned = None

    def add_to_tree(
        self, store: GitStore, tree: str, git: RunGit, changed: Collection[bytes] | None = None
    ) -> str:
        """Return the tree with the permissions of its files; call `follow_index` first.

        `changed` are the only paths that may have changed since the last call, if that is known.
        """
        permissions = self._scan_folder(store, changed)
        packed = permissions.pack()
        if not packed:
            return tree
        objects = store.directory / "objects"
        if self._last[0] != tree:
            self._last = (tree, _read_tree_content(objects, tree, git))
        # write them each time: garbage collection may delete them until a history names them
        full = _write_full_tree(store, self._last[1], packed)
        self._remember_tree(full, permissions)
        return full

    def load_permissions(self, store: GitStore, tree: str) -> FilePermissions | None:
        """Return the permissions in a tree; None if an older MaxAgent wrote it."""
        if tree == EMPTY_TREE:
            return FilePermissions()
        if cached := self._known.get(tree):
            return cached
        asked = f"{tree}:{ENTRY.decode()}\n".encode()
        printed = store.run_git("cat-file", "--batch", stdin=asked)
        head, _, content = printed.partition(b"\n")
        if head.endswith(b" missing"):
            return None
        permissions = unpack_permissions(content.removesuffix(b"\n"))
        self._remember_tree(tree, permissions)
        return permissions

    def _remember_tree(self, tree: str, permissions: FilePermissions) -> None:
        self._known.pop(tree, None)
        self._known[tree] = permissions
        for old in list(self._known)[:-_KEPT]:
            self._known.pop(old, None)

    def _scan_folder(self, store: GitStore, changed: Collection[bytes] | None) -> FilePermissions:
        root = os.fsencode(store.folder)
        if changed is not None and self._with_files.issuperset(map(_get_folder, changed)):
            last = self._scanned
            if last is not None:
                return self._scan_files(root, last, changed)
        rules = _read_rule_states(root, self._rule_files)
        if rules != self._rules:
            self._rules, self._ignored = rules, {}
        bare = find_bare_folders(root, self._folders, self._out)
        open_folders = self._drop_ignored(store, bare)
        self._others = list_folders_below(root, open_folders, self._out)
        below = find_empty_folders(root, self._others)
        empty = self._drop_ignored(store, below)
        self._ignored = {path: self._ignored[path] for path in (*bare, *below)}
        return self._scan_all(root, empty)

    def _scan_all(self, root: bytes, empty: Sequence[bytes]) -> FilePermissions:
        self._modes = read_modes(root, self._sorted)
        self._of_folders = read_folder_modes(root, self._folders, empty)
        self._scanned = build_permissions(
            self._modes, self._of_folders, frozenset(self._folders), empty
        )
        return self._scanned

    def _scan_files(
        self, root: bytes, last: FilePermissions, changed: Collection[bytes]
    ) -> FilePermissions:
        """Look at these files only; no folder has changed since the `last` result."""
        modes = read_modes(root, self._files.intersection(changed))
        if any(self._modes.get(path) != modes.get(path) for path in changed):
            for path in changed:
                self._modes.pop(path, None)
            self._modes |= modes
            last = build_permissions(self._modes, self._of_folders, last.folders or (), last.empty)
        self._scanned = last
        return last

    def _drop_ignored(self, store: GitStore, folders: Sequence[bytes]) -> list[bytes]:
        """Return the folders that no `.gitignore` lists."""
        asked = [path for path in folders if path not in self._ignored]
        if asked:
            stdin = b"".join(b"./" + path.rstrip(b"/") + b"\0" for path in asked)
            flags = ("check-ignore", "--no-index", "-z", "--stdin")
            named = store.run_git(*flags, stdin=stdin, allowed_codes=(0, 1)).split(b"\0")
            ignored = {path.removeprefix(b"./") + b"/" for path in named}
            self._ignored |= {path: path in ignored for path in asked}
        return [path for path in folders if not self._ignored[path]]


def _get_folder(path: bytes) -> bytes:
    """Return the path's folder, with a slash at its end; empty for the top."""
    above, slash, _ = path.rpartition(b"/")
    return above + slash


def _read_tree_content(objects: Path, tree: str, git: RunGit) -> bytes:
    try:
        return read_object(objects, "tree", tree)
    except MissingObjectError:  # git has packed it
        return git("cat-file", "tree", tree)


def _write_full_tree(store: GitStore, tree: bytes, packed: bytes) -> str:
    objects = store.directory / "objects"
    blob = write_object(objects, "blob", packed)
    full = write_object(objects, "tree", add_entry(tree, ENTRY, blob))
    with open(store.last_tree, "w", encoding="ascii", opener=open_private) as file:
        file.write(full)
    return full


def _read_rule_states(root: bytes, files: Iterable[bytes]) -> list[tuple[bytes, int, int]]:
    """Return a state that differs after each write to a `.gitignore`."""
    rule_states: list[tuple[bytes, int, int]] = []
    for path in files:
        with suppress(OSError):
            state = os.lstat(root + b"/" + path)
            rule_states.append((path, state.st_mtime_ns, state.st_size))
    return rule_states
