"""Three-way merge that reverts a change of a file and keeps later changes by others.

`git merge-file` merges text; permissions are merged separately. Ambiguous changes are not merged.
"""

import asyncio
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from ...config.errors import MaxAgentError
from ...config.security.executables import build_search_path
from ...config.text import text
from ..snapshots.file_version import ABSENT, FOLDER, LINK, UNKNOWN, FileVersion
from ..snapshots.git_repository import find_git
from ..snapshots.store import Snapshots

# Bytes; larger files are not merged
MAX_BYTES = 20_000_000
# Exit codes of `git merge-file`: the number of conflicts; 255 is an error
_CONFLICTS = range(1, 128)


class MergeConflictError(Exception):
    """The reason why a file is skipped, as a message."""


async def merge_versions(
    snapshots: Snapshots, base: FileVersion, ours: FileVersion, theirs: FileVersion
) -> FileVersion:
    """Return `ours` with the change from `base` to `theirs`; raises MergeConflictError.

    The contents must be in the store; the merged content is added to it.
    """
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    if FOLDER in (base.mode, ours.mode, theirs.mode):
        return ours  # others created, deleted or chmodded it since: keep their version
    _validate_text_files(base, ours, theirs)
    mode_source = theirs if _without_content(ours) == _without_content(base) else ours
    blob = await _merge_blobs(snapshots, base.blob, ours.blob, theirs.blob)
    return FileVersion(mode_source.mode, blob, mode_source.permissions)


def _without_content(version: FileVersion) -> FileVersion:
    return FileVersion(version.mode, "", version.permissions)


def _validate_text_files(base: FileVersion, ours: FileVersion, theirs: FileVersion) -> None:
    if UNKNOWN in (base, ours, theirs):
        raise MergeConflictError("it cannot be read")
    if base == ABSENT:
        raise MergeConflictError("the agent deleted it, and others created it again")
    if ours == ABSENT:
        raise MergeConflictError("others deleted it since")
    if theirs == ABSENT:
        raise MergeConflictError("the agent created it, and others changed it since")
    if LINK in (base.mode, ours.mode, theirs.mode):
        raise MergeConflictError("others changed it since, and a link cannot be merged")


async def _merge_blobs(snapshots: Snapshots, base: str, ours: str, theirs: str) -> str:
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    contents = await snapshots.read_blobs(sorted({base, ours, theirs}))
    three = (contents[ours], contents[base], contents[theirs])
    if any(len(content) > MAX_BYTES for content in three):
        raise MergeConflictError("others changed it since, and it is too large to merge")
    if any(b"\0" in content for content in three):
        raise MergeConflictError("others changed it since, and it is not text")
    return await snapshots.write_blob(await asyncio.to_thread(_run_merge_file, snapshots, *three))


def _run_merge_file(snapshots: Snapshots, ours: bytes, base: bytes, theirs: bytes) -> bytes:
    git, store = find_git(snapshots.folder), snapshots.directory
    if git is None:
        raise MergeConflictError("others changed it since, and merging needs git")
    with TemporaryDirectory(dir=store, prefix="merge-") as folder:
        for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            (Path(folder) / name).write_bytes(content)
        environment = {"GIT_DIR": folder, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        run = subprocess.run(
            [git, "merge-file", "--stdout", "--quiet", "ours", "base", "theirs"],
            cwd=folder,
            env=environment
            | {"PATH": build_search_path(snapshots.folder), "GIT_CONFIG_GLOBAL": os.devnull},
            capture_output=True,
        )
    if run.returncode in _CONFLICTS:
        raise MergeConflictError("others changed the same lines")
    if run.returncode:
        words = run.stderr.decode("utf-8", "replace").strip()
        raise MaxAgentError(text("git merge-file failed: {words}", words=words))
    return run.stdout
