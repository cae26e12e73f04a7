"""Take a change of a file back while what others did to the same file since is kept.

Text is merged by `git merge-file`; the permissions apart from it. What cannot be told apart
with certainty is not merged.
"""

import asyncio
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from ...config.errors import MaxAgentError
from ...config.security.executables import own_path
from ..snapshots.file_version import ABSENT, FOLDER, LINK, UNKNOWN, Version
from ..snapshots.git_repository import git_program
from ..snapshots.store import Snapshots

LARGEST = 20_000_000
"""Bytes of a file that is still merged."""
_CONFLICTS = range(1, 128)
"""Exit codes of `git merge-file`: how many places conflict; 255 is an error."""


class CannotMerge(Exception):
    """Why a file must be left alone, in words."""


async def merged(snapshots: Snapshots, base: Version, ours: Version, theirs: Version) -> Version:
    """`ours` with the change from `base` to `theirs`; raises CannotMerge.

    The contents must be in the store, and the new one is put there.
    """
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    if FOLDER in (base.mode, ours.mode, theirs.mode):
        return ours  # made, deleted or allowed by others since: that is as they want it
    _refuse_what_is_no_text_file(base, ours, theirs)
    kept = theirs if _mode(ours) == _mode(base) else ours
    blob = await _merged_blob(snapshots, base.blob, ours.blob, theirs.blob)
    return Version(kept.mode, blob, kept.permissions)


def _mode(version: Version) -> Version:
    """The version but for its content."""
    return Version(version.mode, "", version.permissions)


def _refuse_what_is_no_text_file(base: Version, ours: Version, theirs: Version) -> None:
    if UNKNOWN in (base, ours, theirs):
        raise CannotMerge("it cannot be read")
    if base == ABSENT:
        raise CannotMerge("the agent deleted it, and others created it again")
    if ours == ABSENT:
        raise CannotMerge("others deleted it since")
    if theirs == ABSENT:
        raise CannotMerge("the agent created it, and others changed it since")
    if LINK in (base.mode, ours.mode, theirs.mode):
        raise CannotMerge("others changed it since, and a link cannot be merged")


async def _merged_blob(snapshots: Snapshots, base: str, ours: str, theirs: str) -> str:
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    contents = await snapshots.read(sorted({base, ours, theirs}))
    three = (contents[ours], contents[base], contents[theirs])
    if any(len(content) > LARGEST for content in three):
        raise CannotMerge("others changed it since, and it is too large to merge")
    if any(b"\0" in content for content in three):
        raise CannotMerge("others changed it since, and it is not text")
    return await snapshots.write(await asyncio.to_thread(_merge, snapshots, *three))


def _merge(snapshots: Snapshots, ours: bytes, base: bytes, theirs: bytes) -> bytes:
    git, store = git_program(snapshots.folder), snapshots.directory
    if git is None:
        raise CannotMerge("others changed it since, and merging needs git")
    with TemporaryDirectory(dir=store, prefix="merge-") as folder:
        for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            (Path(folder) / name).write_bytes(content)
        environment = {"GIT_DIR": folder, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        run = subprocess.run(
            [git, "merge-file", "--stdout", "--quiet", "ours", "base", "theirs"],
            cwd=folder,
            env=environment | {"PATH": own_path(snapshots.folder), "GIT_CONFIG_GLOBAL": os.devnull},
            capture_output=True,
        )
    if run.returncode in _CONFLICTS:
        raise CannotMerge("others changed the same lines")
    if run.returncode:
        words = run.stderr.decode("utf-8", "replace").strip()
        raise MaxAgentError(f"git merge-file failed: {words}")
    return run.stdout
