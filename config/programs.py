"""Where a program of the system is: never one of the project's, as a relative PATH would name."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

_USUAL = "/usr/local/bin:/usr/bin:/bin"


def find_program(
    name: str, environ: Mapping[str, str] = os.environ, *, outside: Path | None = None
) -> str | None:
    """The program's absolute path; None when no absolute entry of PATH has it.

    `outside`: a project, whose own folders on PATH do not count.
    """
    path = absolute_entries(environ.get("PATH", os.defpath))
    return shutil.which(name, path=entries_outside(path, outside) if outside else path)


def absolute_entries(path: str) -> str:
    """The same PATH without entries that mean the current folder, or one below it."""
    return os.pathsep.join(filter(os.path.isabs, path.split(os.pathsep)))


def own_path(project: Path, environ: Mapping[str, str] = os.environ) -> str:
    """The PATH for programs that MaxAgent starts by itself, without the sandbox.

    A project's environment may be active, and what lies in it is anybody's.
    """
    return entries_outside(absolute_entries(environ.get("PATH", "")), project) or _USUAL


def entries_outside(path: str, project: Path) -> str:
    """The same PATH without entries that lie in the project, by their names or behind links."""
    root = Path(os.path.realpath(project))
    if root == Path(root.anchor):  # all there is would be in it
        return path
    return os.pathsep.join(
        entry
        for entry in path.split(os.pathsep)
        if not Path(os.path.normpath(entry)).is_relative_to(root)
        and not Path(os.path.realpath(entry)).is_relative_to(root)
    )
