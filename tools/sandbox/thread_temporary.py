"""The folder that a thread's commands share as `/tmp`, in the data folder.

It lasts from run to run and goes with its thread. Nobody else's commands see it.
"""

import os
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

from ...config.security.private_files import make_private_folder

# What programs leave there by themselves, and nobody looks for
_ORDINARY = re.compile(
    r"pytest-of-.+|node-compile-cache|v8-compile-cache-.+|tsx-\d+|hsperfdata_.+|go-build.+|jest_.+"
    r"|(pip|npm|yarn|uv|rust|cargo|jiti|mypy|ruff|ccache)[-_.].+|tmp[\w-]+|tmp\.\w+|cc\w{6}\..+"
    r"|pymp-.+|com\.apple\..+|\..+|.+\.(lock|sock|pid)",
    re.IGNORECASE,
)


def prepare_temporary(folder: Path, mount_folders: Iterable[Path]) -> None:
    """Create the folder, with the folders in it on which something is mounted."""
    make_private_folder(folder)
    for mount_folder in mount_folders:
        place = folder / mount_folder.name
        if place.is_symlink() or not place.is_dir():
            with suppress(FileNotFoundError):
                place.unlink()
            place.mkdir(mode=0o700, exist_ok=True)


def list_left_files(folder: Path) -> set[str]:
    """List what commands have left there on purpose: names that hold a file."""
    try:
        names = os.listdir(folder)
    except OSError:
        return set()
    return {name for name in names if not _ORDINARY.fullmatch(name) and _has_file(folder / name)}


def _has_file(place: Path) -> bool:
    if place.is_symlink() or not place.is_dir():
        return True
    return any(files for _, _, files in os.walk(place))


def describe_left_files(names: Collection[str], limit: int = 3) -> str:
    """Return the first names, and how many more there are."""
    first = sorted(names)[:limit]
    more = len(names) - len(first)
    return ", ".join(f"`/tmp/{name}`" for name in first) + (f" +{more}" if more else "")
