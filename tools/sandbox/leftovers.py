"""Empty folders that earlier versions left in a project when they were killed.

They held the places of missing protected files while a command ran, and a ledger names them.
"""

import contextlib
import json
import os
import shutil
from pathlib import Path

# Content that equals a missing file of git
_AS_IF_MISSING = {"commondir": b".\n", "config": b"", "config.worktree": b""}


def remove_leftovers(store: Path) -> None:
    """Remove what the ledger in the project's `store` names and nobody has used since."""
    try:
        lines = (store / "ledger").read_bytes().splitlines()
    except OSError:
        return
    for line in reversed(lines):
        with contextlib.suppress(OSError, ValueError):  # now the user's, or a torn line
            place = Path(json.loads(line))
            if os.path.isdir(place):
                place.rmdir()
            elif place.read_bytes() == _AS_IF_MISSING.get(place.name):
                place.unlink()
    shutil.rmtree(store, ignore_errors=True)
