"""`mcode`, which kills itself at a chosen place: `KILL_AT=aput:7:before victim.py task …`.

The seventh call of `Saver.aput` then never begins; with `after` it is the last thing
that this process does.
"""

import inspect
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import aiosqlite

import maxagent.nodes.compaction.new_cut
import maxagent.nodes.run_tool
import maxagent.sdk.runs.execution
from maxagent.cli.app import main
from maxagent.memory.checkpoints.saver import CheckpointSaver
from maxagent.memory.journal import Journal
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.threads.index import ThreadIndex

PLACES: dict[str, tuple[object, str]] = {
    "aput": (CheckpointSaver, "aput"),
    "aput_writes": (CheckpointSaver, "aput_writes"),
    "commit": (aiosqlite.Connection, "commit"),
    "journal.begin": (Journal, "begin_call"),
    "journal.finish": (Journal, "finish_call"),
    "compact": (maxagent.nodes.compaction.new_cut, "compact_view"),
    "tool": (maxagent.nodes.run_tool, "invoke"),
    "snapshot": (Snapshots, "take"),
    "record": (ThreadIndex, "record_thread"),
    "set_status": (ThreadIndex, "set_status"),
    "lease": (maxagent.sdk.runs.execution, "acquire_lease"),
}
"""Where it may die: what holds the function, and its name."""
SIDES = ("before", "after")


def deadly(function: Callable[..., Any], number: int, side: str) -> Callable[..., Any]:
    """The function, whose call of that number is fatal."""
    calls = 0

    def counted() -> bool:
        nonlocal calls
        calls += 1
        return calls == number

    @wraps(function)
    async def die_async(*args: Any, **kwargs: Any) -> Any:
        fatal = counted()
        if fatal and side == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = await function(*args, **kwargs)
        if fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    @wraps(function)
    def die(*args: Any, **kwargs: Any) -> Any:
        fatal = counted()
        if fatal and side == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*args, **kwargs)
        if fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return die_async if inspect.iscoroutinefunction(function) else die


if __name__ == "__main__":
    if chosen := os.environ.pop("KILL_AT", ""):
        place, number, side = chosen.split(":")
        holder, name = PLACES[place]
        setattr(holder, name, deadly(getattr(holder, name), int(number), side))
    sys.argv[0] = "mcode"
    main()
