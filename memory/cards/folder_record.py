"""Record of the folder that keeps a project's cards, so that another one that names it is asked."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .namespaces import FOLDERS, identify_remote
from .repository import find_repository

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore


async def record_folder(store: "BaseStore", project: str, folder: Path) -> None:
    """Record the folder unless that was done before."""
    import asyncio  # light commands describe folders only

    if not await store.aget(FOLDERS, project):
        await store.aput(FOLDERS, project, await asyncio.to_thread(describe_folder, folder))


def describe_folder(folder: Path) -> dict[str, str]:
    """Return what is recorded of a folder that keeps cards."""
    root = find_repository(Path(os.path.realpath(folder))).find_main_folder()
    remote = identify_remote(folder)
    return {"folder": str(root), "remote": remote, "file": identify_file(root)}


def identify_file(folder: Path) -> str:
    """Return what stays the same when a folder is renamed; empty if there is none."""
    try:
        state = folder.stat()
    except OSError:
        return ""
    return f"{state.st_dev}:{state.st_ino}"
