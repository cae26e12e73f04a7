"""Take a change of a file back while what others did to the same file since is kept.

Text is merged by `git merge-file`; the executable bit apart from it. What cannot be told apart
with certainty is not merged.
"""

import asyncio
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from ...config.errors import MaxAgentError
from ...config.security.executables import own_path
from ..snapshots.file_version import ABSENT, LINK, UNKNOWN, Version
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
    _refuse_what_is_no_text_file(base, ours, theirs)
    mode = theirs.mode if ours.mode == base.mode else ours.mode
    return Version(mode, await _merged_blob(snapshots, base.blob, ours.blob, theirs.blob))


def _refuse_what_is_no_text_file(base: Version, ours: Version, theirs: Version) -> None:
    if UNKNOWN in (base, ours, theirs):
        raise CannotMerge("it cannot be read")
    if base == ABSENT:
        raise CannotMerge("the agent deleted it and others have made it anew")
    if ours == ABSENT:
        raise CannotMerge("others have deleted it since")
    if theirs == ABSENT:
        raise CannotMerge("the agent made it and others have changed it since")
    if LINK in (base.mode, ours.mode, theirs.mode):
        raise CannotMerge("others have changed it since, and a link cannot be merged")


async def _merged_blob(snapshots: Snapshots, base: str, ours: str, theirs: str) -> str:
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    contents = await snapshots.read(sorted({base, ours, theirs}))
    three = (contents[ours], contents[base], contents[theirs])
    if any(len(content) > LARGEST for content in three):
        raise CannotMerge("others have changed it since, and it is too large to be merged")
    if any(b"\0" in content for content in three):
        raise CannotMerge("others have changed it since, and it is not text")
    return await snapshots.write(await asyncio.to_thread(_merge, snapshots, *three))


def _merge(snapshots: Snapshots, ours: bytes, base: bytes, theirs: bytes) -> bytes:
    git, store = git_program(snapshots.folder), snapshots.directory
    if git is None:
        raise CannotMerge("others have changed it since, and only git can merge")
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
        raise CannotMerge("others have changed the same lines")
    if run.returncode:
        words = run.stderr.decode("utf-8", "replace").strip()
        raise MaxAgentError(f"git merge-file failed: {words}")
    return run.stdout
