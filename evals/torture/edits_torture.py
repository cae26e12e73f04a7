"""Edit threads of every graph at every checkpoint as every node: `make torture-edits`.

Each branch must go on to its end. The threads are in a database as a user's; `make test` has a part
of the pairs, in memory.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from edited_threads import ENDED, SCENARIOS, EditedThread

from maxagent.memory.database.checkpointer import open_checkpointer


async def try_every_pair(name: str, folder: Path) -> tuple[int, list[str]]:
    """Return how many pairs were tried, and those that did not end."""
    async with open_checkpointer(folder / "threads.db") as saver:
        thread = EditedThread(SCENARIOS[name], folder, saver)
        first = await thread.record()
        failed = [] if first in ENDED else [f"{name}: {first}"]
        pairs = [(state, node) for state in thread.states for node in thread.nodes]
        for state, node in pairs:
            try:
                end = await thread.continue_edited(state, node)
            except Exception as error:
                end = repr(error)
            if end not in ENDED:
                place = f"step {state.metadata['step']} {state.next} as {node}"
                failed.append(f"{name}: {place}: {end}")
        await thread.context.pool.close()
        return len(pairs), failed


async def main() -> int:
    """Try all scenarios; the exit code."""
    failed: list[str] = []
    for name in SCENARIOS:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"
            count, wrong = await try_every_pair(name, Path(folder))
            print(f"{name}: {count} pairs, {len(wrong)} did not end")
            failed += wrong
    print("\n".join(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
