"""The user's repository around a folder: what it ignores, and where it keeps what it tracks."""

from pathlib import Path


def find_top(folder: Path) -> Path:
    """The top of the work tree that the folder lies in; the folder itself outside of any."""
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place
    return folder


def read_excludes(top: Path) -> bytes:
    """The repository's `info/exclude`, which a linked worktree shares; empty when there is none."""
    try:
        directory = _find_git_directory(top)
        common = directory / "commondir"
        if common.is_file():
            directory = directory / common.read_text().strip()
        exclude = directory / "info" / "exclude"
        return exclude.read_bytes() if exclude.is_file() else b""
    except (OSError, UnicodeError):
        return b""


def find_index(top: Path) -> Path | None:
    """The index of this checkout, only ever to be read; None when there is none."""
    try:
        index = _find_git_directory(top) / "index"
    except (OSError, UnicodeError):
        return None
    return index if index.is_file() else None


def _find_git_directory(top: Path) -> Path:
    """A checkout's own directory: `.git`, or where that points; raises OSError, UnicodeError."""
    directory = top / ".git"
    if directory.is_file():
        return top / directory.read_text().removeprefix("gitdir:").strip()
    return directory
