"""Edit threads of every graph at every checkpoint as every node: `make torture-edits`.

Each branch must go on to its end.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from edited_threads import ENDED, SCENARIOS, EditedThread


async def try_every_pair(name: str, folder: Path) -> tuple[int, list[str]]:
    """Return how many pairs were tried, and those that did not end."""
    thread = EditedThread(SCENARIOS[name], folder)
    first = await thread.record()
    failed = [] if first in ENDED else [f"{name}: {first}"]
    pairs = [(state, node) for state in thread.states for node in thread.nodes]
    for state, node in pairs:
        try:
            end = await thread.continue_edited(state, node)
        except Exception as error:
            end = repr(error)
        if end not in ENDED:
            failed.append(f"{name}: step {state.metadata['step']} {state.next} as {node}: {end}")
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
