"""`mcode`, which kills itself at a chosen place: `KILL_AT=aput:7:before victim.py task …`.

The seventh call of `Saver.aput` then never begins; with `after` it is the last thing
that this process does.
"""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tests/e2e"))

import aiosqlite  # noqa: E402
from fatal_call import deadly  # noqa: E402

import maxagent.nodes.compaction.new_cut  # noqa: E402
import maxagent.nodes.run_tool  # noqa: E402
import maxagent.sdk.runs.execution  # noqa: E402
from maxagent.cli.app import main  # noqa: E402
from maxagent.memory.checkpoints.saver import CheckpointSaver  # noqa: E402
from maxagent.memory.journal import Journal  # noqa: E402
from maxagent.memory.snapshots.store import Snapshots  # noqa: E402
from maxagent.memory.threads.index import ThreadIndex  # noqa: E402

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


if __name__ == "__main__":
    if chosen := os.environ.pop("KILL_AT", ""):
        place, number, side = chosen.split(":")
        holder, name = PLACES[place]
        setattr(holder, name, deadly(getattr(holder, name), int(number), side))
    sys.argv[0] = "mcode"
    main()
