"""`mcode`, which kills itself at a place of a run with sub-agents: `KILL_AT=tool:2:after …`."""

import os
import sys

import aiosqlite
from victim import deadly

import maxagent.nodes.run_tool
from maxagent.cli.app import main
from maxagent.memory.checkpoints.saver import CheckpointSaver
from maxagent.memory.journal import Journal
from maxagent.memory.threads.sub_runs import SubRuns

PLACES: dict[str, tuple[object, str]] = {
    "aput": (CheckpointSaver, "aput"),
    "aput_writes": (CheckpointSaver, "aput_writes"),
    "commit": (aiosqlite.Connection, "commit"),
    "journal.begin": (Journal, "begin_call"),
    "journal.finish": (Journal, "finish_call"),
    "tool": (maxagent.nodes.run_tool, "invoke"),
    "sub.begin": (SubRuns, "begin"),
    "sub.status": (SubRuns, "set_status"),
    "sub.finish": (SubRuns, "finish"),
}

if __name__ == "__main__":
    if chosen := os.environ.pop("KILL_AT", ""):
        place, number, side = chosen.split(":")
        holder, name = PLACES[place]
        setattr(holder, name, deadly(getattr(holder, name), int(number), side))
    sys.argv[0] = "mcode"
    main()
