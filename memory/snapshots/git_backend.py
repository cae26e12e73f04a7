"""Snapshots by git's plumbing: a tree of all files that are tracked or not ignored.

Takes one git process if nothing changed since the last snapshot, otherwise three or four.
"""

import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ...config.text import text
from .coverage import is_covered, list_index
from .exclusions import Exclusions
from .file_version import FileVersion, PathChange, ProgressCallback
from .folder_watch import FolderWatch, list_rules_above
from .git_ls_files import (
    PORTION,
    GitListing,
    IndexUpdate,
    find_index,
    find_top,
    join_paths,
    may_have_long_ids,
    plan_index_update,
    read_excludes,
)
from .git_objects import EMPTY_TREE, MissingObjectError, list_tree_changes
from .git_permissions import GitPermissions, RunGit
from .git_repository import FULL, GitCommandError, GitStore, count_entries, get_index_path
from .limits import LITTLE, MAX_FILES, SkippedFiles, select_fitting
from .permissions import ENTRY, FilePermissions, apply_permissions
from .storage import locate_worktree

ATTEMPTS = 3
# From this many new contents on, they go into one pack: half the disk space, and one sync
MAX_LOOSE_OBJECTS = 300
# Bytes; the first snapshot includes smaller tracked files in any case
SMALL = 1_000_000
# Files for one git: in one pack each content is compared with all before it, so the time grows
# with the square of their number. For 100,000 files this limit halves the time.
STORED_AT_ONCE = 5_000
# Git's messages for a lost object or a lost store
LOST = ("bad object", "unable to read", "not a git repository")
_ALL = (":(top)", f":(top,literal,exclude){ENTRY.decode()}")


class GitSnapshots:
    """The snapshots of one folder, in git's object store `directory`."""

    def __init__(self, folder: Path, directory: Path, out: Exclusions, program: str) -> None:
        top = find_top(folder, below=locate_worktree(folder, directory))
        index = get_index_path(directory, out.patterns, top)
        self._store = GitStore(folder, directory, top, index, program)
        self._out = out
        self._ready = False
        self._last: tuple[object, str] = ("never taken", "")
        """State of the index, and the tree of its files."""
        self._permissions = GitPermissions(out)
        self._stored = set[bytes]()
        """Named files in the index after our last snapshot."""
        self._skipped = SkippedFiles()
        """What the last snapshot left out."""
        self._watch = FolderWatch(folder, out)
        self._tracked = frozenset[bytes]()
        """Files that the user's git tracks although they are ignored."""

    def take(
        self, lock: int, named: frozenset[bytes], report: ProgressCallback
    ) -> tuple[str, SkippedFiles]:
        """Store the files, `named` ones even if ignored; return the tree and the skipped files.

        `lock` is the descriptor of the store's lock: a git that outlives this process still holds
        it. `report` is called with the number of stored files and of all files if there are many.
        """
        self._open_store()
        for attempt in range(1, ATTEMPTS):
            try:
                return self._take_watched(lock, named, report)
            except GitCommandError as error:
                # a file appeared or vanished meanwhile, or a power failure damaged the index
                if FULL in error.message:
                    raise
                if attempt > 1:
                    self._store.forget_index()
        return self._take_watched(lock, named, report)

    def _take_watched(
        self, lock: int, named: frozenset[bytes], report: ProgressCallback
    ) -> tuple[str, SkippedFiles]:
        """Take a snapshot; if that fails, the next one looks at all files."""
        try:
            return self._take_snapshot(lock, named, report)
        except BaseException:
            self._watch.close()
            raise

    def close(self) -> None:
        """Stop watching the folder."""
        self._watch.close()

    def is_large(self) -> bool:
        """Return whether this is the first snapshot and the user's git tracks many files."""
        index = find_index(self._store.top)
        if index is None or self._store.count_index_files():
            return False
        return count_entries(index) > STORED_AT_ONCE

    def find_repository(self) -> Path | None:
        """Return the top of the user's repository; None if it ignores the folder, or without."""
        self._open_store()
        top = self._store.top
        return top if (top / ".git").exists() else None

    def check_out(self, tree: str) -> Sequence[str]:
        """Write a snapshot's files into the folder, which has none of them; return their paths.

        The next snapshot finds them in its index, so it does not read them again.
        """
        self._open_store()
        store = self._store
        new = replace(store, index=store.index.with_name(f"new-{store.index.name}"))
        new.forget_index()
        files = self.list_files(tree)
        prefix = os.fsencode(store.prefix)
        lines = [
            f"{version.mode} {version.blob}\t".encode() + prefix + os.fsencode(path)
            for path, version in files.items()
        ]
        new.run_git("update-index", "-z", "--index-info", stdin=join_paths(lines))
        new.run_git("checkout-index", "--all", "--quiet", "--index")
        permissions = self.load_permissions(tree) or FilePermissions()
        apply_permissions(store.folder, permissions, files)
        new.index.replace(store.index)
        return list(files)

    def forget_folder(self) -> None:
        """Delete what the store keeps for the next snapshot of the folder, which is gone."""
        for path in (self._store.index, self._store.last_tree):
            path.unlink(missing_ok=True)

    def list_ignored(self) -> list[str]:
        """List the ignored files and folders of the folder; a folder's path ends with a slash."""
        self._open_store()
        asked = ("ls-files", "-z", "-o", "-i", "--directory", "--exclude-standard")
        listing = self._store.run_git(*asked, *self._listing.build_exclude_options())
        return [os.fsdecode(path) for path in listing.split(b"\0") if path]

    def list_changes(self, old: str, new: str) -> list[PathChange]:
        """Return the differences between two trees, sorted by path."""
        with suppress(MissingObjectError):  # git has packed it
            return list_tree_changes(self._store.directory / "objects", old, new)
        flags = ("--raw", "--no-abbrev", "-z")
        entries = self._diff_trees(old, new, *flags, paths=_ALL).split(b"\0")
        return [_parse_change(*pair) for pair in zip(entries[0::2], entries[1::2], strict=False)]

    def load_permissions(self, tree: str) -> FilePermissions | None:
        """Return the permissions in a tree; None if an older MaxAgent wrote it."""
        return self._permissions.load_permissions(self._store, tree)

    def list_files(self, tree: str) -> dict[str, FileVersion]:
        listing = self._store.run_git("ls-tree", "-r", "-z", "--full-tree", tree)
        pairs = (entry.split(b"\t", 1) for entry in listing.split(b"\0") if entry)
        return {
            os.fsdecode(path): FileVersion(described[:6].decode(), described[-40:].decode())
            for described, path in pairs
            if path != ENTRY
        }

    def diff(self, old: str, new: str, paths: Collection[str] | None) -> str:
        """Return the difference as a unified diff."""
        flags = ("-p", "--no-ext-diff", "--no-textconv")
        if paths is None:
            every = self._diff_trees(old, new, *flags, paths=_ALL)
            return every.decode("utf-8", "replace")
        changed = [change.path for change in self.list_changes(old, new)]
        diff_text, requested_paths, every = "", set(paths), set(changed)
        nested = [path for path in changed if _is_below(path, every)]
        for chosen in _split_paths([path for path in changed if path in requested_paths]):
            printed = self._diff_trees(old, new, *flags, paths=_build_pathspecs(chosen, nested))
            diff_text += printed.decode("utf-8", "replace")
        return diff_text

    def read_blobs(self, blobs: Sequence[str]) -> dict[str, bytes]:
        """Return the contents of blobs by ID."""
        asked = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs)).encode()
        printed = self._store.run_git("cat-file", "--batch", stdin=asked)
        contents: dict[str, bytes] = {}
        at = 0
        while at < len(printed):
            line_end = printed.index(b"\n", at)
            blob, kind, *size = printed[at:line_end].decode().split(" ")
            if kind != "blob":
                raise MissingObjectError(
                    text(
                        "the snapshots have lost a file's content: {blob} {kind}",
                        blob=blob,
                        kind=kind,
                    )
                )
            at = line_end + 1 + int(size[0]) + 1
            contents[blob] = printed[line_end + 1 : at - 1]
        return contents

    def write_blob(self, content: bytes) -> str:
        """Store a content; return its ID."""
        self._open_store()
        return self._store.run_git("hash-object", "-w", "--stdin", stdin=content).decode()[:40]

    def can_restore(self, path: Path) -> bool:
        """Return whether the last snapshot has everything at a path, or the next one surely will.

        Before the first snapshot, the files that the user's git tracks count: it will include them.
        """
        top, stored = self._store.top, list_index(self._store.index)
        if stored:
            return is_covered(path, top, stored.__contains__)
        own = find_index(top)
        tracked = list_index(own) if own else frozenset[bytes]()

        def will_be_stored(name: bytes) -> bool:
            below = os.fsdecode(name).removeprefix(self._store.prefix)
            return name in tracked and not self._out.is_excluded(below)

        return len(tracked) <= MAX_FILES and is_covered(path, top, will_be_stored, SMALL)

    def _open_store(self) -> None:
        """Create the store once; ignore the rules of a repository that ignores this folder."""
        if self._ready and self._store.is_there():
            return
        excludes = read_excludes(self._store.top)
        self._store.create(excludes)
        if self._store.prefix and self._is_ignored():
            top = self._store.folder
            index = get_index_path(self._store.directory, self._out.patterns, top)
            self._store = replace(self._store, top=top, index=index)
            self._store.create(b"")
        self._tracked = self._list_tracked_ignored()
        self._ready = True

    def _list_tracked_ignored(self) -> frozenset[bytes]:
        """List tracked ignored files by our store's rules, so that no configured program runs."""
        index = find_index(self._store.top)
        if index is None:
            return frozenset()
        listing: bytes | None = None
        if not may_have_long_ids(self._store.top):
            with suppress(GitCommandError):  # it needs the objects beside it, or is damaged
                asked = ("ls-files", "-z", "-c", "-i", "--exclude-standard")
                own = replace(self._store, index=index)
                listing = own.run_git(*asked, *self._listing.build_exclude_options())
        if listing is None:
            listing = self._filter_ignored(list_index(index))
        paths = (path for path in listing.split(b"\0") if path)
        return frozenset(path for path in paths if not self._out.is_excluded(os.fsdecode(path)))

    def _filter_ignored(self, tracked: frozenset[bytes]) -> bytes:
        """Return the ignored ones below the folder, of tracked files from the top."""
        prefix = os.fsencode(self._store.prefix)
        own = [path.removeprefix(prefix) for path in tracked if path.startswith(prefix)]
        if not own:
            return b""
        asked = ("check-ignore", "--no-index", "-z", "--stdin")
        with suppress(GitCommandError):  # a link took the place of a folder
            return self._store.run_git(*asked, stdin=join_paths(own), allowed_codes=(0, 1))
        return b""

    def _is_ignored(self) -> bool:
        """Return whether the repository around the folder ignores it."""
        asked = ("check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
        folder = os.fsencode(self._store.folder) + b"\0"
        output = self._store.run_git(*asked, stdin=folder, allowed_codes=(0, 1))
        pattern = output.split(b"\0")[2]
        return bool(pattern) and not pattern.startswith(b"!")

    @property
    def _listing(self) -> GitListing:
        return GitListing(self._store, self._out)

    def _take_snapshot(
        self, lock: int, named: frozenset[bytes], report: ProgressCallback
    ) -> tuple[str, SkippedFiles]:
        def run_git(*arguments: str, stdin: bytes = b"", one_pack: bool = False) -> bytes:
            return self._store.run_git(*arguments, stdin=stdin, keep=(lock,), one_pack=one_pack)

        store = self._store
        store.unlock_index()
        before = store.read_index_state()
        if self._last[0] != before:
            self._stored.clear()
        included_paths = named | self._tracked
        changed, work = self._plan_update(before, run_git, included_paths)
        present = work.changed + self._select_fitting(work, named)
        if work.gone:
            run_git("update-index", "-z", "--force-remove", "--stdin", stdin=join_paths(work.gone))
        flags = ("update-index", "-z", "--add", "--remove", "--stdin")
        for at in range(0, len(present), STORED_AT_ONCE):
            if len(present) > STORED_AT_ONCE:
                report(at, len(present))
            some = present[at : at + STORED_AT_ONCE]
            run_git(*flags, stdin=join_paths(some), one_pack=len(some) > MAX_LOOSE_OBJECTS)
        if self._last[0] != store.read_index_state():
            tree = EMPTY_TREE
            if store.count_index_files():
                tree = run_git("write-tree", f"--prefix={store.prefix}").decode().strip()
            # this writes to the index too
            self._last = (store.read_index_state(), tree)
        self._stored = (self._stored | included_paths.intersection(present)).difference(work.gone)
        self._permissions.follow_index(before, self._last[0], present, work.gone, run_git)
        some = None if changed is None else changed.union(present, work.gone)
        tree = self._permissions.add_to_tree(store, self._last[1], run_git, some)
        self._watch.keep(self._permissions.folders)
        self._skipped = work.skipped
        return tree, work.skipped

    def _plan_update(
        self, before: object, git: RunGit, included_paths: frozenset[bytes]
    ) -> tuple[set[bytes] | None, IndexUpdate]:
        """Return the only paths that may have changed, None if any may, and what is to be done."""
        folder, permissions = self._store.folder, self._permissions
        named = included_paths - self._stored
        changed = self._watch.read_changes()
        if changed is not None and self._last[0] == before and permissions.is_at(before):
            listing = self._listing.list_some(git, changed, permissions.files)
            if listing is not None:
                work = plan_index_update(folder, listing, named)
                if work.add_skipped(self._skipped, changed):
                    return changed, work
        # the files of the last process tell what to watch during the first scan
        permissions.follow_index(before, before, (), (), git)
        if not self._watch.is_open:
            above = list_rules_above(self._store.top, folder)
            self._watch.open(permissions.folders, above)
        listing = self._listing.list_all(git)
        return None, plan_index_update(folder, listing, named)

    def _select_fitting(self, work: IndexUpdate, named: frozenset[bytes]) -> list[bytes]:
        """Return the new files that fit into the snapshot."""
        files = self._store.count_index_files()
        little = sum(file.size for file in work.new) <= LITTLE
        if little and files + len(work.new) <= MAX_FILES:
            return [file.path for file in work.new]
        size = 0 if little else self._store.measure_index()
        return select_fitting(work.new, named, files, size, work.skipped)

    def _diff_trees(self, old: str, new: str, *flags: str, paths: Sequence[str] = ()) -> bytes:
        compare = ("diff-tree", "-r", "--no-renames", *flags, old, new, "--", *paths)
        try:
            return self._store.run_git(*compare)
        except GitCommandError as error:
            if not any(words in error.message for words in LOST):
                raise
            hint = "earlier changes can be neither shown nor restored; the thread can continue"
            raise MissingObjectError(
                text("the snapshots of `{folder}` are lost", folder=self._store.folder), hint=hint
            ) from error


def _parse_change(described: bytes, path: bytes) -> PathChange:
    """Parse an entry of `diff-tree --raw`: `:old mode, new mode, old blob, new blob, letter`."""
    old_mode, new_mode, old_blob, new_blob, _ = described.decode().removeprefix(":").split(" ")
    return PathChange(
        os.fsdecode(path), FileVersion(old_mode, old_blob), FileVersion(new_mode, new_blob)
    )


def _is_below(path: str, others: Collection[str]) -> bool:
    """Return whether a parent folder of the path is in `others`."""
    return any(path[:at] in others for at, letter in enumerate(path) if letter == "/")


def _build_pathspecs(paths: Sequence[str], nested: Sequence[str]) -> list[str]:
    """Return pathspecs that select these paths and everything below them.

    `nested` are paths where a file became a folder, or the other way round.
    """
    chosen = set(paths)
    below = [path for path in nested if path not in chosen and _is_below(path, chosen)]
    pathspecs = [f":(top,literal){path}" for path in paths]
    return pathspecs + [f":(top,literal,exclude){path}" for path in below]


def _split_paths(paths: Sequence[str]) -> Iterable[Sequence[str]]:
    """Split paths into groups that fit on one command line."""
    return (paths[at : at + PORTION] for at in range(0, len(paths), PORTION))
