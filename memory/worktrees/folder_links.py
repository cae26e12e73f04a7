"""A folder of links: each entry leads to that of another folder."""

import os
import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ..snapshots.exclusions import Exclusions
from .record import Worktree

# What tools write below installed packages; in a folder of its own they write it anew
_CACHES = frozenset([".cache", ".vite", ".vite-temp", ".vitest"])


def link_entries(source: Path, target: Path, project: Path, folder: Path, *, linked: bool) -> None:
    """Create a folder with a link to each entry of `source`; or with a copy, unless `linked`.

    A link inside the project, such as one to another package of it, leads to the same place in the
    worktree `folder`.
    """
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.name not in _CACHES:
                link_entry(Path(entry.path), target / entry.name, project, folder, linked=linked)


def link_entry(source: Path, target: Path, project: Path, folder: Path, *, linked: bool) -> None:
    """Link or copy one file or folder."""
    if source.is_symlink():
        os.symlink(_translate_link(source, project, folder), target)
    elif source.is_dir() and (source.name.startswith("@") or source.name == ".bin"):
        link_entries(source, target, project, folder, linked=linked)
    elif linked:
        os.symlink(source, target)
    elif source.is_dir():
        shutil.copytree(source, target, symlinks=True, copy_function=copy_file)
    else:
        copy_file(str(source), str(target))


def link_neighbours(repository: Path, worktree: Worktree, out: Exclusions) -> list[str]:
    """Link what lies beside the project in its repository; return the links, relative to the top.

    They lead to the files as they are now, and are read-only where a sandbox confines commands.
    """
    linked: list[str] = []
    below = PurePosixPath(worktree.project.relative_to(repository).as_posix())
    for above in (*reversed(below.parents),):
        inside = below.relative_to(above).parts[0]
        for name in os.listdir(repository / above):
            target = worktree.top / above / name
            if name not in (inside, ".git") and not out.is_excluded(name):
                target.symlink_to(repository / above / name)
                linked.append(str(above / name))
    return linked


def copy_file(source: str, target: str) -> str:
    """Copy a file; where the file system can, the copy shares its blocks until one is changed."""
    if not os.path.islink(source) and hasattr(os, "copy_file_range"):
        with suppress(OSError), open(source, "rb") as old, open(target, "wb") as new:
            while os.copy_file_range(old.fileno(), new.fileno(), 1 << 30):
                pass
            shutil.copystat(source, target)
            return target
    return shutil.copy2(source, target, follow_symlinks=False)


def _translate_link(link: Path, project: Path, folder: Path) -> str:
    """Return the link's target for the worktree: the same place in it, or the real one outside."""
    named = os.readlink(link)
    target = Path(os.path.normpath(link.parent / named))
    if not target.is_relative_to(project):
        return str(target)
    return str(folder / target.relative_to(project)) if os.path.isabs(named) else named
