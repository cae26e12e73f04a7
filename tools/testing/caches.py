"""Caches outside the project that a test framework cannot run without."""

import os
from pathlib import Path

from ...config.paths import locate_test_caches
from ...memory.snapshots.storage import get_store_directory
from ..sandbox.sandbox import Sandbox
from .command import TestCommand


def make_caches(command: TestCommand, folder: Path, sandbox: Sandbox | None) -> dict[str, str]:
    """Create them for the project in `folder`; return the variables that name them.

    In the sandbox the user's own is read-only, and a project's tests must not change another's.
    """
    if command.framework != "go" or sandbox is None or not sandbox.is_on:
        return {}
    if any("go-build" in writable.parts for writable in sandbox.writable):
        return {}
    caches = locate_project_caches(folder, sandbox.home)
    (caches / "go-build").mkdir(mode=0o700, parents=True, exist_ok=True)
    os.utime(caches)  # in use, so `mcode threads prune` keeps it
    return {"GOCACHE": os.path.realpath(caches / "go-build")}


def locate_project_caches(folder: Path, home: Path) -> Path:
    """Return the folder of a project's caches; its worktrees have the same."""
    stores = home / "data" / "snapshots"
    return locate_test_caches(home) / get_store_directory(folder.resolve(), stores).name
