"""A project's Python environment in its worktree.

The worktree gets its own environment, with links to the project's packages. Otherwise a package in
editable mode, and each script in `bin`, would import the project's files instead of the worktree's.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .folder_links import copy_file, link_entry

_MARK = "pyvenv.cfg"
# Bytes; larger files do not name the project's folder
_MAX_FILE_BYTES = 200_000
# Files in `site-packages` that point to packages elsewhere
_POINTERS = ("*.pth", "*.egg-link", "__editable__*")


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
