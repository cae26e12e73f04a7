"""Where a program of the system is: never one of the project's, as a relative PATH would name."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

_USUAL = "/usr/local/bin:/usr/bin:/bin"


def find_program(
    name: str, environ: Mapping[str, str] = os.environ, *, outside: Iterable[Path] = ()
) -> str | None:
    """The program's absolute path; None when no absolute entry of PATH has it.

    `outside`: projects, whose own folders on PATH do not count.
    """
    path = keep_absolute_entries(environ.get("PATH", os.defpath))
    return shutil.which(name, path=drop_project_entries(path, *outside))


def keep_absolute_entries(path: str) -> str:
    """The same PATH without entries that mean the current folder, or one below it."""
    return os.pathsep.join(filter(os.path.isabs, path.split(os.pathsep)))


def build_search_path(*projects: Path, environ: Mapping[str, str] = os.environ) -> str:
    """The PATH for programs that MaxAgent starts by itself, without the sandbox.

    A project's environment may be active, and what lies in it is anybody's.
    """
    return drop_project_entries(keep_absolute_entries(environ.get("PATH", "")), *projects) or _USUAL


def drop_project_entries(path: str, *projects: Path) -> str:
    """The same PATH without entries that lie in a project, by their names or behind links."""
    roots = {Path(os.path.realpath(project)) for project in projects}
    roots = {root for root in roots if root != Path(root.anchor)}  # all there is would be in it
    return os.pathsep.join(
        entry
        for entry in path.split(os.pathsep)
        if not any(
            Path(name).is_relative_to(root)
            for name in (os.path.normpath(entry), os.path.realpath(entry))
            for root in roots
        )
    )
