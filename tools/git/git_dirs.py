"""Folders of a repository, and whether git may read them without a question.

Git quotes what it cannot parse. A link `.git/packed-refs -> ../.env` would make `git status` print
the secret, and a `.git` that points to another project's repository would expose that.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...config.paths import locate_home
from ..sensitive_paths import is_secret_path
from .git_paths import resolve_gitfile

# Most entries of a git folder that are checked
MAX_ENTRIES = 50_000
# Most folders that objects are borrowed from, as in git itself, and the size of a list of them
MAX_BORROWED = 20
MAX_ALTERNATES_BYTES = 100_000

_HEAD = re.compile(r"ref:\s*refs/|[0-9a-f]{40}")
# Entries that git does not print: objects are never quoted, hooks are switched off, and git does
# not use the others
_NOT_READ = re.compile(
    r"(modules/(?!(.*/)?(refs|logs|worktrees)/)(.+/))?(objects/[0-9a-f]{2}|hooks|lfs|annex)"
)
_OBJECTS = "objects"
_ALTERNATES = os.path.join("info", "alternates")


class UnsupportedGitDirError(Exception):
    """Git should not read this repository; the message gives the reason for the user."""


@dataclass(frozen=True)
class GitDirs:
    """Folders of a repository."""

    git_dir: Path
    common: Path
    """The same, or the folder shared with other worktrees."""


def find_git_dirs(top: Path, root: Path) -> GitDirs | None:
    """Return the folders that `.git` in a real folder points to, for the project `root`.

    None if git would look further up. Raises UnsupportedGitDirError for a `.git` that belongs to
    another repository, or that contains links.
    """
    if not os.path.lexists(top / ".git"):
        return None
    git_dir = _resolve_git_dir(top)
    if (git_dir / "commondir").is_symlink():
        raise UnsupportedGitDirError("`commondir` in the git repository is a symlink")
    common = Path(os.path.realpath(git_dir / _read_line(git_dir / "commondir", ".")))
    required_paths = (git_dir / "HEAD", common / "objects", common / "refs")
    if not all(map(os.path.lexists, required_paths)):
        return None
    for place in (git_dir, common):
        is_inside = place.is_relative_to(root) or place.is_relative_to(top)
        if not is_inside and place not in resolve_gitfile(top):
            raise UnsupportedGitDirError("the git repository is outside the project")
    borrowed = _find_borrowed_objects(top)
    for place in (common, *(() if git_dir.is_relative_to(common) else (git_dir,))):
        _check_plain(place, borrowed)
    if not _HEAD.match(_read_line(git_dir / "HEAD", "")):
        raise UnsupportedGitDirError("the git repository is damaged")
    return GitDirs(git_dir, common)


def _resolve_git_dir(top: Path) -> Path:
    place = top / ".git"
    if place.is_dir():
        return Path(os.path.realpath(place))
    named = _read_line(place, "")
    if not named.startswith("gitdir: "):
        raise UnsupportedGitDirError("`.git` is neither a folder nor a link to one")
    return Path(os.path.realpath(top / named.removeprefix("gitdir: ")))


def _read_line(path: Path, otherwise: str) -> str:
    """Read the only line of a small git file; a pipe would block."""
    try:
        return path.read_bytes()[:5000].decode().strip() if path.is_file() else otherwise
    except (OSError, UnicodeDecodeError):
        return otherwise


def _find_borrowed_objects(top: Path) -> Path | None:
    """Return the objects of its project that a worktree of ours may read; mostly None."""
    if not os.path.exists(top / ".git" / _OBJECTS / _ALTERNATES):
        return None
    from ...memory.worktrees.record import find_worktree

    worktree = find_worktree(top, locate_home())
    return worktree.objects if worktree and worktree.top == top else None


def _check_plain(git_dir: Path, borrowed: Path | None) -> None:
    """Raise UnsupportedGitDirError if git would not read the folder's own files."""
    for number, entry in enumerate(_walk_entries(str(git_dir))):
        name = os.path.relpath(entry.path, git_dir)
        if entry.is_symlink():
            raise UnsupportedGitDirError(
                f"`{name}` in the git repository is a symlink; git may print its target"
            )
        if name.endswith(_ALTERNATES) and not _can_borrow(Path(entry.path), git_dir, borrowed):
            raise UnsupportedGitDirError(
                "the git repository borrows objects from a folder that is no repository, or secret"
            )
        if number > MAX_ENTRIES:
            raise UnsupportedGitDirError(
                "the git repository has too many files to check; run `git gc` to pack them"
            )


def _walk_entries(top: str) -> Iterator[os.DirEntry[str]]:
    """Yield all entries below, except those that git does not read or cannot quote."""
    pending = [top]
    while pending:
        try:
            with os.scandir(pending.pop()) as scan:
                entries = list(scan)
        except OSError as error:
            raise UnsupportedGitDirError("the git repository cannot be read") from error
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            read = not _NOT_READ.fullmatch(entry.path[len(top) + 1 :])
            if read or (entry.is_symlink() and entry.name not in ("hooks", "lfs", "annex")):
                yield entry
            if read and is_folder:
                pending.append(entry.path)


def _can_borrow(alternates: Path, git_dir: Path, borrowed: Path | None) -> bool:
    """Return whether git may read the objects that the file names, and those that they borrow.

    They are its own, as for a submodule; those that a worktree of ours was made from; or those of
    another repository, as for a shared clone: commands can read these anyway, so they must not be
    hidden from them.
    """
    known = {str(git_dir / _OBJECTS), str(borrowed)}
    pending = [alternates]
    while pending and len(known) < MAX_BORROWED:
        for objects in _read_alternates(pending.pop()):
            if str(objects) in known:
                continue
            known.add(str(objects))
            if not (objects.parent / "HEAD").is_file() or not objects.is_dir():
                return False
            if objects.is_relative_to(_resolve_home()) or is_secret_path(objects):
                return False
            pending.append(objects / _ALTERNATES)
    return not pending


def _resolve_home() -> Path:
    return Path(os.path.realpath(locate_home()))


def _read_alternates(path: Path) -> list[Path]:
    """Read the folders of borrowed objects; none of a branch named `info/alternates/x`."""
    try:
        lines = path.read_bytes()[:MAX_ALTERNATES_BYTES].splitlines() if path.is_file() else []
    except OSError:
        return []
    objects = path.parent.parent
    names = [os.fsdecode(line) for line in lines if line and not line.startswith(b"#")]
    return [Path(os.path.realpath(objects / name)) for name in names]
