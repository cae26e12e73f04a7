"""Search for system programs; programs of the project, as in a relative PATH, are never used."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

_USUAL = "/usr/local/bin:/usr/bin:/bin"


def find_program(
    name: str, environ: Mapping[str, str] = os.environ, *, outside: Iterable[Path] = ()
) -> str | None:
    """Return the program's absolute path; None if no absolute entry of PATH has it.

    `outside`: projects, whose own folders on PATH do not count.
    """
    path = keep_absolute_entries(environ.get("PATH", os.defpath))
    return shutil.which(name, path=drop_project_entries(path, *outside))


def keep_absolute_entries(path: str) -> str:
    """Return the PATH without entries relative to the current folder."""
    return os.pathsep.join(filter(os.path.isabs, path.split(os.pathsep)))


def build_search_path(*projects: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Return the PATH for programs that MaxAgent starts by itself, without the sandbox.

    A project's environment may be active, and anyone may have written its programs.
    """
    return drop_project_entries(keep_absolute_entries(environ.get("PATH", "")), *projects) or _USUAL


def drop_project_entries(path: str, *projects: Path) -> str:
    """Return the PATH without entries in a project, by name or through links."""
    roots = {os.path.realpath(project) for project in projects} - {os.sep}  # it has all paths
    return os.pathsep.join(
        entry
        for entry in path.split(os.pathsep)
        if not any(
            name == root or name.startswith(root + os.sep)
            for name in (os.path.normpath(entry), _resolve_folder(entry))
            for root in roots
        )
    )


def _resolve_folder(path: str) -> str:
    """Return the path without links; on Linux in three system calls, since each command asks."""
    try:
        folder = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except (AttributeError, OSError):  # not Linux, or no folder
        return os.path.realpath(path)
    try:
        return os.readlink(f"/proc/self/fd/{folder}")
    except OSError:  # no /proc
        return os.path.realpath(path)
    finally:
        os.close(folder)
