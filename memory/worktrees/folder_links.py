"""A folder of links to the entries of another folder."""

import os
import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ..snapshots.exclusions import Exclusions
from .record import Worktree

# Caches that tools write among installed packages; they create them again in the worktree
_CACHES = frozenset([".cache", ".vite", ".vite-temp", ".vitest"])


def link_entries(
    source: Path, target: Path, project: Path, folder: Path, *, use_links: bool
) -> None:
    """Create a folder with a link to each entry of `source`, or a copy unless `use_links`.

    A link into the project, such as one to another package of it, becomes a link into the worktree
    `folder`.
    """
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.name not in _CACHES:
                link_entry(
                    Path(entry.path), target / entry.name, project, folder, use_links=use_links
                )


def link_entry(source: Path, target: Path, project: Path, folder: Path, *, use_links: bool) -> None:
    """Link or copy one file or folder."""
    if source.is_symlink():
        os.symlink(_translate_link(source, project, folder), target)
    elif source.is_dir() and (source.name.startswith("@") or source.name == ".bin"):
        link_entries(source, target, project, folder, use_links=use_links)
    elif use_links:
        os.symlink(source, target)
    elif source.is_dir():
        _copy_folder(source, target, project, folder)
    else:
        copy_file(str(source), str(target))


def _copy_folder(source: Path, target: Path, project: Path, folder: Path) -> None:
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            link_entry(Path(entry.path), target / entry.name, project, folder, use_links=False)
    shutil.copystat(source, target)


def link_neighbours(repository: Path, worktree: Worktree, exclusions: Exclusions) -> list[str]:
    """Link the rest of the project's repository; return the links, relative to the top.

    They point to the files as they are now; a sandbox makes them read-only.
    """
    links: list[str] = []
    project_path = PurePosixPath(worktree.project.relative_to(repository).as_posix())
    for parent in (*reversed(project_path.parents),):
        project_entry = project_path.relative_to(parent).parts[0]
        for name in os.listdir(repository / parent):
            target = worktree.top / parent / name
            if name not in (project_entry, ".git") and not exclusions.is_excluded(name):
                target.symlink_to(repository / parent / name)
                links.append(str(parent / name))
    return links


def copy_file(source: str, target: str) -> str:
    """Copy a file; where the file system can, the copy shares its blocks until one is changed.

    Pipes, sockets and devices are left out: who opens one waits for its other end.
    """
    if not os.path.islink(source) and not os.path.isfile(source):
        return target
    if not os.path.islink(source) and hasattr(os, "copy_file_range"):
        with suppress(OSError), open(source, "rb") as old, open(target, "wb") as new:
            while os.copy_file_range(old.fileno(), new.fileno(), 1 << 30):
                pass
            shutil.copystat(source, target)
            return target
    return shutil.copy2(source, target, follow_symlinks=False)


def _translate_link(link: Path, project: Path, folder: Path) -> str:
    """Return the link's target: the same path in the worktree, or the real path outside.

    It is computed anew, since a relative link may pass the project's own name.
    """
    link_target = os.readlink(link)
    target = Path(os.path.normpath(link.parent / link_target))
    if not target.is_relative_to(project):
        return str(target)
    moved = folder / target.relative_to(project)
    if os.path.isabs(link_target) or not link.is_relative_to(project):
        return str(moved)
    return os.path.relpath(moved, folder / link.parent.relative_to(project))
