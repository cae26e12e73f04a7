"""Dependencies that git ignores, such as installed packages, in a project's worktree.

The worktree gets its own folders of packages, with a link to each package: new files are written
into the worktree, and a sandbox denies writing through the links. Without a sandbox packages are
copied. Build output is always copied, if it is small: builds change it in place.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ..snapshots.exclusions import Exclusions
from ..snapshots.limits import MAX_STORED_FILE_BYTES
from .folder_links import copy_file, link_entries, link_entry

# Folders of installed packages
PACKAGE_FOLDERS = frozenset(
    [
        "node_modules", "vendor", "bower_components", "jspm_packages", "Pods", "__pypackages__",
        ".yarn", ".bundle", "elm-stuff", "deps",
    ]
)  # fmt: skip
# Folders of build output
BUILD_FOLDERS = frozenset(["target", "build", "dist", "_build", ".eggs"])
# Bytes of build output in all; what does not fit is not copied, so it is built again
MAX_BUILD_BYTES = 300_000_000
_MARK = "pyvenv.cfg"
# Bytes; larger files do not name the project's folder
_MAX_FILE_BYTES = 200_000
# Files in `site-packages` that point to packages elsewhere
_POINTERS = ("*.pth", "*.egg-link", "__editable__*")


def provide_dependencies(
    ignored: Iterable[str], project: Path, folder: Path, exclusions: Exclusions, *, use_links: bool
) -> list[str]:
    """Link or copy the dependencies among the ignored paths; return their paths.

    Private files are never copied. `use_links`: nothing can be written through a link.
    """
    provided: list[str] = []
    bytes_left = MAX_BUILD_BYTES
    for path in sorted(path.rstrip("/") for path in ignored):
        source, target = project / path, folder / path
        if exclusions.is_excluded(path) or os.path.lexists(target) or not target.parent.is_dir():
            continue
        with suppress(OSError):  # not readable, or the target folder is read-only
            if is_virtual_environment(source):
                link_environment(source, target, project, folder, use_links=use_links)
            elif source.name in PACKAGE_FOLDERS:
                _provide_packages(source, target, project, folder, use_links=use_links)
            elif source.is_dir() and (source.name in BUILD_FOLDERS or source.suffix == ".egg-info"):
                size = _measure(source, bytes_left)
                if size > bytes_left:
                    continue
                bytes_left -= size
                _copy_build(source, target, path, exclusions)
            else:
                continue
            provided.append(path)
    return provided


def _provide_packages(
    source: Path, target: Path, project: Path, folder: Path, *, use_links: bool
) -> None:
    if source.is_symlink():  # to packages that projects share
        target.symlink_to(os.path.realpath(source))
    elif source.is_dir():
        link_entries(source, target, project, folder, use_links=use_links)


def copy_large_files(
    files: Iterable[str], project: Path, folder: Path, exclusions: Exclusions
) -> None:
    """Copy tracked files that are too large for a snapshot, up to the size limit."""
    bytes_left = MAX_BUILD_BYTES
    for path in files:
        with suppress(OSError):
            size = os.lstat(project / path).st_size
            if MAX_STORED_FILE_BYTES < size <= bytes_left and not exclusions.is_excluded(path):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                copy_file(str(project / path), str(folder / path))
                bytes_left -= size


def _measure(folder: Path, limit: int) -> int:
    """Return the bytes in the folder; stop counting above the limit."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size
        if total > limit:
            break
    return total


def _copy_build(source: Path, target: Path, path: str, exclusions: Exclusions) -> None:
    def skip_private(parent: str, names: list[str]) -> list[str]:
        parent_path = PurePosixPath(path) / Path(parent).relative_to(source).as_posix()
        return [name for name in names if exclusions.is_excluded(str(parent_path / name))]

    shutil.copytree(
        source,
        target,
        symlinks=True,
        ignore=skip_private,
        copy_function=copy_file,
        ignore_dangling_symlinks=True,
    )


def is_virtual_environment(folder: Path) -> bool:
    """Return whether the folder is a Python environment."""
    return (folder / _MARK).is_file()


def link_environment(
    source: Path, target: Path, project: Path, folder: Path, *, use_links: bool
) -> None:
    """Create the environment, with the worktree `folder` in place of the project's path."""
    if use_links:
        _link_folder(source, target, project, folder)
    else:
        shutil.copytree(source, target, symlinks=True, copy_function=copy_file)
    names_project = re.compile(re.escape(os.fsencode(project)) + rb"(?=[/'\"\s]|$)")
    for file in _list_naming_files(target):
        with suppress(OSError):
            _replace_text(file, names_project, os.fsencode(folder))


def _link_folder(source: Path, target: Path, project: Path, folder: Path) -> None:
    """Create the folders that lead to `site-packages` and `bin`; link everything else."""
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            path, new = Path(entry.path), target / entry.name
            is_own_folder = entry.name in ("bin", "lib", "site-packages") or entry.name.startswith(
                "python"
            )
            if is_own_folder and entry.is_dir(follow_symlinks=False):
                _link_folder(path, new, project, folder)
            else:
                link_entry(path, new, project, folder, use_links=True)


def _list_naming_files(environment: Path) -> Iterator[Path]:
    """Yield the files that may name the project's folder."""
    yield from (path for path in (environment / "bin").glob("*") if not _is_program(path))
    for packages in environment.glob("lib/python*/site-packages"):
        for pattern in _POINTERS:
            yield from packages.glob(pattern)


def _is_program(path: Path) -> bool:
    return path.name.startswith("python") or path.is_dir()


def _replace_text(file: Path, pattern: re.Pattern[bytes], new: bytes) -> None:
    status = file.stat()
    if status.st_size > _MAX_FILE_BYTES or not file.is_file():
        return
    content = file.read_bytes()
    changed = pattern.sub(lambda _: new, content)
    if changed != content:
        file.unlink()  # a link to the project's own
        file.write_bytes(changed)
        file.chmod(status.st_mode & 0o777)
