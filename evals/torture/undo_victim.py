"""Take a project back and die in the middle: `KILL_AT=17 undo_victim.py FOLDER rewind`.

Every call by which a restore changes something is counted; before the call of that number, or
after it, this process kills itself. Without `KILL_AT` it waits to be killed from outside. With
`take` instead of `rewind` it takes a snapshot.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from recorded_project import Recorded

PLACES = ["replace", "unlink", "mkdir", "rmdir", "symlink", "fsync", "fchmod", "open"]


def deadly(function: Callable[..., Any], fatal: int, calls: list[int]) -> Callable[..., Any]:
    """The function; its call before or after which `calls` is `fatal` is the end."""

    @wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        for act in (lambda: None, lambda: function(*args, **kwargs)):
            result = act()
            calls[0] += 1
            if calls[0] == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return result

    return counted


if __name__ == "__main__":
    project = Recorded(Path(sys.argv[1]))
    calls = [0]
    fatal = int(os.environ.get("KILL_AT", 0))
    for name in PLACES if fatal else []:
        setattr(os, name, deadly(getattr(os, name), fatal, calls))
    for name in ("begin_entry", "finish_entry") if fatal else []:
        setattr(project.history, name, deadly(getattr(project.history, name), fatal, calls))
    print("ready", flush=True)
    asyncio.run(project.snapshots.take() if sys.argv[2] == "take" else project.rewind(0))
    print("done", flush=True)
