"""Record of the folder that keeps a project's cards, so that another one that names it is asked."""

import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .namespaces import FOLDERS, identify_remote
from .repository import find_repository

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

# Of Linux's `statx`, which Python's `os.stat` leaves out
_AT_FDCWD, _STATX_BTIME, _STATX_SIZE, _BTIME_OFFSET = -100, 0x800, 256, 80


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
    return f"{state.st_dev}:{state.st_ino}:{_read_birth(folder, state)}"


def is_same_file(recorded: Mapping[str, Any], folder: Mapping[str, str]) -> bool:
    """Return whether two records are of the same file: a number alone is used again.

    Without a time of birth, as old records are, both must have the same remote.
    """
    old, new = str(recorded.get("file", "")).split(":"), folder["file"].split(":")
    if len(old) < 2 or old[:2] != new[:2]:
        return False
    births = ["".join(parts[2:3]) for parts in (old, new)]
    if all(births):
        return births[0] == births[1]
    return bool(folder["remote"]) and recorded.get("remote") == folder["remote"]


def _read_birth(folder: Path, state: os.stat_result) -> str:
    """Return when a file was made, in nanoseconds; empty where the system does not tell."""
    if seconds := getattr(state, "st_birthtime", 0):  # macOS
        return str(int(seconds * 1e9))
    try:
        import ctypes

        facts = ctypes.create_string_buffer(_STATX_SIZE)
        code = ctypes.CDLL(None).statx(_AT_FDCWD, os.fsencode(folder), 0, _STATX_BTIME, facts)
    except (ImportError, OSError, AttributeError):
        return ""
    (mask,) = struct.unpack_from("I", facts, 0)
    born, part = struct.unpack_from("qI", facts, _BTIME_OFFSET)
    return str(born * 1_000_000_000 + part) if code == 0 and mask & _STATX_BTIME else ""
