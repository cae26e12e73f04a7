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
    roots = {Path(os.path.realpath(project)) for project in projects}
    roots = {root for root in roots if root != Path(root.anchor)}  # it would contain all paths
    return os.pathsep.join(
        entry
        for entry in path.split(os.pathsep)
        if not any(
            Path(name).is_relative_to(root)
            for name in (os.path.normpath(entry), os.path.realpath(entry))
            for root in roots
        )
    )
