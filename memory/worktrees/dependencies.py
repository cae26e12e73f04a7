"""Dependencies of a project at hand in its worktree, though git ignores them.

Installed packages are linked, entry by entry, into folders of the worktree's own: what is written
anew lands in the worktree, and a sandbox refuses to write through the links. Without a sandbox they
are copied. Results of builds are copied in any case, if small: builds change them in place.
"""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ..snapshots.exclusions import Exclusions
from ..snapshots.limits import LARGEST_FILE
from .folder_links import copy_file, link_entries
from .virtual_environment import is_virtual_environment, link_environment

# Folders of installed packages
PACKAGES = frozenset(
    [
        "node_modules", "vendor", "bower_components", "jspm_packages", "Pods", "__pypackages__",
        ".yarn", ".bundle", "elm-stuff", "deps",
    ]
)  # fmt: skip
# Folders of what builds have made
BUILDS = frozenset(["target", "build", "dist", "_build", ".eggs"])
# Bytes of all that builds have made; what does not fit is left out, and built again
MOST_BUILT = 300_000_000


def provide_dependencies(
    ignored: Iterable[str], project: Path, folder: Path, out: Exclusions, *, linked: bool
) -> list[str]:
    """Bring the dependencies among the ignored paths into the worktree; return their paths.

    Private files are never copied. `linked`: nothing can be written through a link.
    """
    provided: list[str] = []
    left = MOST_BUILT
    for path in sorted(one.rstrip("/") for one in ignored):
        source, target = project / path, folder / path
        if out.is_excluded(path) or os.path.lexists(target) or not target.parent.is_dir():
            continue
        with suppress(OSError):  # not readable, or its place is read-only
            if is_virtual_environment(source):
                link_environment(source, target, project, folder, linked=linked)
            elif source.name in PACKAGES:
                _provide_packages(source, target, project, folder, linked=linked)
            elif source.is_dir() and (source.name in BUILDS or source.suffix == ".egg-info"):
                size = _measure(source, left)
                if size > left:
                    continue
                left -= size
                _copy_build(source, target, path, out)
            else:
                continue
            provided.append(path)
    return provided


def _provide_packages(
    source: Path, target: Path, project: Path, folder: Path, *, linked: bool
) -> None:
    if source.is_symlink():  # to packages that projects share
        target.symlink_to(os.path.realpath(source))
    elif source.is_dir():
        link_entries(source, target, project, folder, linked=linked)


def copy_large_files(files: Iterable[str], project: Path, folder: Path, out: Exclusions) -> None:
    """Copy tracked files that are too large for a snapshot, as far as they fit."""
    left = MOST_BUILT
    for path in files:
        with suppress(OSError):
            size = os.lstat(project / path).st_size
            if LARGEST_FILE < size <= left and not out.is_excluded(path):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                copy_file(str(project / path), str(folder / path))
                left -= size


def _measure(folder: Path, most: int) -> int:
    """Return the bytes below the folder; stop when they are too many."""
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(above, name)).st_size
        if total > most:
            break
    return total


def _copy_build(source: Path, target: Path, path: str, out: Exclusions) -> None:
    def skip_private(above: str, names: list[str]) -> list[str]:
        below = PurePosixPath(path) / Path(above).relative_to(source).as_posix()
        return [name for name in names if out.is_excluded(str(below / name))]

    shutil.copytree(
        source,
        target,
        symlinks=True,
        ignore=skip_private,
        copy_function=copy_file,
        ignore_dangling_symlinks=True,
    )
