"""Version of a file or folder in a snapshot, and a path that differs between two snapshots."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

FILE, PROGRAM, LINK, FOLDER = "100644", "100755", "120000", "040000"
_NO_CONTENT = "0" * 40


# Called with the number of stored files and of all files
ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class FileVersion:
    """Mode and content ID of a file as in git, with the permissions that git drops."""

    mode: str
    blob: str
    permissions: int | None = None
    """The nine bits; None for a link, and in a snapshot of an older MaxAgent that has none.

    None equals any permissions: an unknown value is not a difference.
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
    """Return the version of an existing folder, whatever it contains."""
    return FileVersion(FOLDER, _NO_CONTENT, permissions)


def is_folder(path: str) -> bool:
    """Return whether the path is a folder's: those end with a slash."""
    return path.endswith("/")


@dataclass(frozen=True)
class PathChange:
    """One path that differs between two snapshots.

    Both versions of a folder may be the same: it was empty in one of the snapshots, so restoring
    the files must not delete the folder.
    """

    path: str
    old: FileVersion
    new: FileVersion

    @property
    def kind(self) -> Literal["added", "modified", "deleted"]:
        if self.old == ABSENT:
            return "added"
        return "deleted" if self.new == ABSENT else "modified"


def list_parent_folders(path: str) -> list[str]:
    """Return all parent folders of a path, each ending with a slash."""
    return [f"{above}/" for above in PurePosixPath(path).parents[:-1]]


def filter_visible(changes: Iterable[PathChange]) -> list[PathChange]:
    """Return the changes to show to the user: a folder only if none of its files is listed."""
    every = list(changes)
    reported = {above for change in every for above in list_parent_folders(change.path)}
    return [
        change
        for change in every
        if not is_folder(change.path) or (change.old != change.new and change.path not in reported)
    ]
