"""A file or folder as a snapshot knows it, and one path that differs between two snapshots."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

FILE, PROGRAM, LINK, FOLDER = "100644", "100755", "120000", "040000"
_NO_CONTENT = "0" * 40


# Told how many files of how many are stored
ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class FileVersion:
    """A file as git names it, mode and id of the content, with the permissions that git drops."""

    mode: str
    blob: str
    permissions: int | None = None
    """The nine bits; None for a link, and where a snapshot of an older MaxAgent has none.

    None equals any permissions: what is not known is no difference.
    """

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FileVersion):
            return NotImplemented
        mine, its = self.permissions, other.permissions
        return (self.mode, self.blob) == (other.mode, other.blob) and (
            mine == its or mine is None or its is None
        )

    def __hash__(self) -> int:
        return hash((self.mode, self.blob))

    @property
    def has_content(self) -> bool:
        """Whether its blob is in the store."""
        return self.mode in (FILE, PROGRAM, LINK)


ABSENT = FileVersion("000000", _NO_CONTENT)
# Neither a file nor a link, or not readable: equal to nothing in any snapshot
UNKNOWN = FileVersion("", "")


def build_folder_version(permissions: int | None) -> FileVersion:
    """A folder that is there, whatever is in it."""
    return FileVersion(FOLDER, _NO_CONTENT, permissions)


def is_folder(path: str) -> bool:
    """Whether a change of the path is one of a folder: those end with a slash."""
    return path.endswith("/")


@dataclass(frozen=True)
class PathChange:
    """One path that differs between two snapshots.

    Of a folder both versions may be the same: it was empty in one of the snapshots, so taking the
    files back must not take the folder away.
    """

    path: str
    old: FileVersion
    new: FileVersion

    @property
    def kind(self) -> Literal["added", "modified", "deleted"]:
        """What happened to the file."""
        if self.old == ABSENT:
            return "added"
        return "deleted" if self.new == ABSENT else "modified"


def list_parent_folders(path: str) -> list[str]:
    """The folders that a path lies in, each with its slash."""
    return [f"{above}/" for above in PurePosixPath(path).parents[:-1]]


def filter_visible(changes: Iterable[PathChange]) -> list[PathChange]:
    """The changes that people are shown: a folder only where none of its files tells of it."""
    every = list(changes)
    reported = {above for change in every for above in list_parent_folders(change.path)}
    return [
        change
        for change in every
        if not is_folder(change.path) or (change.old != change.new and change.path not in reported)
    ]
