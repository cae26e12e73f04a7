"""Output of `git ls-files`: the files that a snapshot must store, and those that it can.

It lists the whole folder, or only the paths that changed.
"""

import os
import stat
from collections.abc import Collection, Set
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from .exclusions import Exclusions
from .git_permissions import RunGit
from .git_repository import GitStore
from .limits import MAX_STORED_FILE_BYTES, NewFile, SkippedFiles

# Paths on a command line, each of at most 4 kB
PORTION = 200
_PLACEHOLDER = b".mcode-placeholder"
_NO_BLOB = b"0" * 39 + b"1"


@dataclass
class IndexUpdate:
    """The changes that make the index equal to the folder."""

    gone: list[bytes] = field(default_factory=list[bytes])
    changed: list[bytes] = field(default_factory=list[bytes])
    new: list[NewFile] = field(default_factory=list[NewFile])
    skipped: SkippedFiles = field(default_factory=SkippedFiles)

    def add_skipped(self, before: SkippedFiles, changed: Set[bytes]) -> bool:
        """Add what the last snapshot left out, except the `changed` files.

        Return whether that is known: files beyond a limit compete with all others for the place.
        """
        if (before.many or before.heavy) and (self.new or self.gone):
            return False
        self.skipped.many, self.skipped.heavy = before.many, before.heavy
        for paths, old_paths in (
            (self.skipped.large, before.large),
            (self.skipped.unreadable, before.unreadable),
            (self.skipped.refused, before.refused),
        ):
            paths += [path for path in old_paths if path not in changed and path not in paths]
        return True


def find_nested_repositories(folder: Path, listing: bytes) -> set[bytes]:
    """Find the repositories below the folder, each with a slash at its end."""
    entries = [(entry[:1], entry[2:]) for entry in listing.split(b"\0")]
    root = os.fsencode(folder)
    was_file = [path for tag, path in entries if tag == b"C"]
    closed = {path for tag, path in entries if tag == b"?" and path.endswith(b"/")}
    return closed | {
        path + b"/" for path in was_file if os.path.lexists(os.path.join(root, path, b".git"))
    }


def plan_index_update(folder: Path, listing: bytes, named: Set[bytes]) -> IndexUpdate:
    """Sort the files that `ls-files -t -z` listed, and ignored files in `named`."""
    entries = [(entry[:1], entry[2:]) for entry in listing.split(b"\0") if entry]
    untracked = {path for tag, path in entries if tag == b"?" and not path.endswith(b"/")}
    tracked = {path for tag, path in entries if tag != b"?"}
    root = os.fsencode(folder)
    work = IndexUpdate()
    for path in sorted(tracked):
        _sort_tracked(root, path, work)
    for path in sorted(untracked):
        _sort_new(root, path, work)
    for path in sorted(named - untracked - tracked):
        if not _is_behind_link(root, path):
            _sort_new(root, path, work)
    return work


def _sort_tracked(root: bytes, path: bytes, work: IndexUpdate) -> None:
    """Sort a tracked file; one that can no longer be stored keeps its last version."""
    try:
        file_stat = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        work.gone.append(path)
        return
    except OSError:  # a parent folder is not readable
        work.skipped.unreadable.append(path)
        return
    if not stat.S_ISREG(file_stat.st_mode) and not stat.S_ISLNK(file_stat.st_mode):
        work.gone.append(path)
    elif _can_be_stored(root, path, file_stat, work.skipped):
        work.changed.append(path)


def _sort_new(root: bytes, path: bytes, work: IndexUpdate) -> None:
    try:
        file_stat = os.lstat(os.path.join(root, path))
    except OSError:  # deleted again, or not yet created
        return
    is_link = stat.S_ISLNK(file_stat.st_mode)
    if _is_gits_own(path, is_link):
        work.skipped.refused.append(path)
    elif (is_link or stat.S_ISREG(file_stat.st_mode)) and _can_be_stored(
        root, path, file_stat, work.skipped
    ):
        work.new.append(NewFile(file_stat.st_size, path))


def _can_be_stored(root: bytes, path: bytes, file_stat: os.stat_result, left: SkippedFiles) -> bool:
    if stat.S_ISLNK(file_stat.st_mode):
        return True
    if file_stat.st_size > MAX_STORED_FILE_BYTES:
        left.large.append(path)
        return False
    if not os.access(os.path.join(root, path), os.R_OK):
        left.unreadable.append(path)
        return False
    return True


def _is_gits_own(path: bytes, is_link: bool) -> bool:
    """Return whether no index takes the path: `.git`, or a `.gitmodules` link, in any case."""
    parts = path.lower().split(b"/")
    return b".git" in parts or (is_link and parts[-1] == b".gitmodules")


def _is_behind_link(root: bytes, path: bytes) -> bool:
    above = PurePosixPath(os.fsdecode(path)).parents
    return any(os.path.islink(os.path.join(root, os.fsencode(parent))) for parent in above)


def find_top(folder: Path, below: Path | None = None) -> Path:
    """Return the top of the work tree around the folder; the folder itself if there is none.

    It is searched only `below` a folder, if one is given.
    """
    for place in (folder, *folder.parents):
        if place == below:
            break
        if (place / ".git").exists():
            return place
    return folder


def read_excludes(top: Path) -> bytes:
    """Return the repository's `info/exclude`, which linked worktrees share; empty without one."""
    try:
        exclude = find_git_directories(top)[1] / "info" / "exclude"
        return exclude.read_bytes() if exclude.is_file() else b""
    except (OSError, UnicodeError):
        return b""


def find_index(top: Path) -> Path | None:
    """Return the index of this checkout, to be read only; None if there is none."""
    try:
        index = _find_git_directory(top) / "index"
    except (OSError, UnicodeError):
        return None
    return index if index.is_file() else None


def may_have_long_ids(top: Path) -> bool:
    """Return whether the repository may name objects by SHA-256; others misread its index."""
    try:
        return b"sha256" in (find_git_directories(top)[1] / "config").read_bytes().lower()
    except (OSError, UnicodeError):
        return False


def find_git_directories(top: Path) -> tuple[Path, Path]:
    """Return the `.git` directory of this checkout, and the one that linked worktrees share.

    Raises OSError or UnicodeError.
    """
    directory = _find_git_directory(top)
    common = directory / "commondir"
    shared = directory / common.read_text().strip() if common.is_file() else directory
    return directory, shared


def _find_git_directory(top: Path) -> Path:
    """Return the checkout's own `.git` directory, or its target; raises OSError, UnicodeError."""
    directory = top / ".git"
    if directory.is_file():
        return top / directory.read_text().removeprefix("gitdir:").strip()
    return directory


@dataclass(frozen=True)
class GitListing:
    """The output of `git ls-files -t -z`: new, changed and deleted files, each with a letter."""

    store: GitStore
    out: Exclusions

    def build_exclude_options(self) -> list[str]:
        """Return the patterns that no snapshot holds, as options."""
        return [f"--exclude={pattern}" for pattern in self.out.to_git_patterns(self.store.prefix)]

    def list_all(self, git: RunGit) -> bytes:
        """List the whole folder, including files in nested repositories.

        Git enters a nested repository only once its index has a path below it.
        """
        rules = ("--exclude-standard", *self.build_exclude_options())
        asked = ("ls-files", "-z", "-t", "-o", "-m", "-d", *rules)
        listing = git(*asked)
        opened = set[bytes]()
        while closed := find_nested_repositories(self.store.folder, listing) - opened:
            below = [os.fsencode(self.store.prefix) + path + _PLACEHOLDER for path in closed]
            stdin = join_paths([b"100644 " + _NO_BLOB + b"\t" + path for path in below])
            git("update-index", "-z", "--replace", "--index-info", stdin=stdin)
            opened |= closed
            listing = git(*asked)  # this lists the placeholders as deleted
        return listing

    def list_some(self, git: RunGit, paths: Set[bytes], indexed: Set[bytes]) -> bytes | None:
        """List these files only; None if so many of them are not in the index that all are faster.

        A file of the index counts as changed.
        """
        listing = join_paths([b"C " + path for path in paths & indexed])
        others = self._find_existing(paths - indexed)
        if len(others) > PORTION:
            return None
        if others:
            pathspecs = [f":(literal){os.fsdecode(path)}" for path in others]
            rules = ("--exclude-standard", *self.build_exclude_options())
            listing += git("ls-files", "-z", "-t", "-o", *rules, "--", *pathspecs)
        return listing

    def _find_existing(self, paths: Collection[bytes]) -> list[bytes]:
        root = os.fsencode(self.store.folder)
        return sorted(path for path in paths if os.path.lexists(os.path.join(root, path)))


def join_paths(paths: Collection[bytes]) -> bytes:
    """Return the paths as git reads and writes them with `-z`, in their order by name."""
    return b"".join(path + b"\0" for path in sorted(paths))
