"""A program with tools of its own, which kills itself: `own_tool_program.py HOME PROJECT SCRIPT`.

`KILL_AT=line:2:before` ends it before its tools have written their second line. It begins the
conversation, or goes on with it, and prints its tools' answers and the last text.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from fatal_call import deadly
from langchain_core.tools import StructuredTool

import maxagent.nodes.run_tool
from maxagent import Runner, UsageError, collect
from maxagent.memory.checkpoints.saver import CheckpointSaver, SaverConnection
from maxagent.memory.journal import Journal
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.threads.index import ThreadIndex

THREAD = "5e1f0c2a-7c39-4c3e-9a51-2b8f6d0e4a17"
HOME, PROJECT, SCRIPT = (Path(argument) for argument in sys.argv[1:])


class Log:
    """What the tools have done to the world."""

    @staticmethod
    def write(line: str) -> None:
        with HOME.with_name("log.txt").open("a") as log:
            log.write(f"{line}\n")


PLACES: dict[str, tuple[object, str]] = {
    "line": (Log, "write"),
    "tool": (maxagent.nodes.run_tool, "invoke"),
    "journal.begin": (Journal, "begin_call"),
    "journal.finish": (Journal, "finish_call"),
    "snapshot": (Snapshots, "take"),
    "aput": (CheckpointSaver, "aput"),
    "aput_writes": (CheckpointSaver, "aput_writes"),
    "commit": (SaverConnection, "write"),
    "record": (ThreadIndex, "record_thread"),
}


def order_bolts(pieces: int) -> str:
    """Order bolts."""
    Log.write("bolts begin")
    Log.write("bolts end")
    return f"{pieces} bolts ordered"


async def order_nuts(pieces: int) -> str:
    """Order nuts."""
    Log.write("nuts begin")
    await asyncio.sleep(0)
    Log.write("nuts end")
    return f"{pieces} nuts ordered"


def _order_pins(pieces: int) -> str:
    Log.write("pins begin")
    Log.write("pins end")
    return f"{pieces} pins ordered"


async def main() -> None:
    pins = StructuredTool.from_function(_order_pins, name="order_pins", description="Order pins.")
    async with Runner(home=HOME, tools=[order_bolts, order_nuts, pins]) as runner:
        try:
            runner.threads.find(THREAD)
            run = runner.resume(THREAD)
        except UsageError:
            options = {"model": f"scripted/{SCRIPT}", "mode": "auto"}
            run = runner.chat("Order.", folder=PROJECT, options=options, thread_id=THREAD)
        result = await collect(run)
        state, _ = await runner.read_state(THREAD)
        answers = {item.name: item.text for item in state["messages"] if item.type == "tool"}
        print(json.dumps({"text": result.text, "answers": answers}))


if __name__ == "__main__":
    if chosen := os.environ.pop("KILL_AT", ""):
        place, number, side = chosen.split(":")
        holder, name = PLACES[place]
        setattr(holder, name, deadly(getattr(holder, name), int(number), side))
    asyncio.run(main())
