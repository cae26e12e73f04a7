"""What stands where a file is to be written: a folder with other files, or a file for a folder."""

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from ...config.text import text
from ..snapshots.file_version import ABSENT, PathChange, is_folder


def find_path_conflicts(folder: Path, changes: Sequence[PathChange]) -> dict[str, str]:
    """The paths that cannot be written, with the reason in words.

    What one of the changes takes away is not in the way of another.
    """
    going = {change.path for change in changes if change.new == ABSENT}
    coming = [change.path for change in changes if change.new != ABSENT]
    return {path: reason for path in coming if (reason := _explain_conflict(folder, path, going))}


def _explain_conflict(folder: Path, path: str, going: set[str]) -> str:
    own = [PurePosixPath(path)] if is_folder(path) else []
    for above in (*own, *PurePosixPath(path).parents[:-1]):
        if str(above) not in going and _classify_path(folder / above) == "file":
            return text("`{above}` is no longer a folder", above=above)
    if (
        not is_folder(path)
        and _classify_path(folder / path) == "folder"
        and any(str(found) not in going for found in _walk_files(folder, path))
    ):
        return "a folder with other files is in its place"
    return ""


def _classify_path(path: Path) -> str:
    """`folder`, `file` (or link, …), or empty when there is nothing that can be seen."""
    try:
        return "folder" if stat.S_ISDIR(os.lstat(path).st_mode) else "file"
    except OSError:  # nothing there, or only through a link that leads in a circle
        return ""


def _walk_files(folder: Path, path: str) -> Iterable[PurePosixPath]:
    """All below that is no folder, relative to `folder`; links are not followed."""
    for above, folders, files in os.walk(folder / path):
        inside = PurePosixPath(Path(above).relative_to(folder).as_posix())
        for name in [*files, *(name for name in folders if (Path(above) / name).is_symlink())]:
            yield inside / name
