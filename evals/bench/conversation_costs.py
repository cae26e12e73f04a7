"""What a long conversation costs: its database, and the processor time of a turn late in it.

A thousand turns of 2 + 2 kB on one thread, through the real runner; the scripted model costs
nothing but reading what it is given.
"""

import asyncio
import json
import random
import string
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from gauge import Gauge
from table import Row

from maxagent.cli.lazy_imports import without_collector

with without_collector():  # as `mcode chat` does
    from maxagent import Runner
    from maxagent.sdk.events import Completion
    from maxagent.sdk.threads.disk_usage import measure_database
    from maxagent.sdk.threads.pruning import prune_storage

TURNS = 1000
SIZE = 2000
"""Bytes of a question, and of an answer."""
LARGEST, PRUNED = 20, 10
"""MB."""
STEEPEST = 1.2


@dataclass
class Cost:
    """Of a conversation."""

    megabytes: float = 0
    pruned: float = 0
    """The same after `mcode threads prune`."""
    seconds: list[float] = field(default_factory=list[float])
    """Processor time of each turn."""

    @property
    def growth(self) -> float:
        """How much more a turn of the last tenth costs than one of the second."""
        tenth = len(self.seconds) // 10
        return median(self.seconds[-tenth:]) / median(self.seconds[tenth : 2 * tenth])


def measure_conversation(gauge: Gauge, project: Path) -> list[Row]:
    """One conversation of a thousand turns."""
    cost = asyncio.run(cost_of(project.with_name("conversation"), TURNS))
    return [
        Row(f"MB of {TURNS} turns of 2 + 2 kB", cost.megabytes, bar=LARGEST),
        Row("MB of them after a prune", cost.pruned, bar=PRUNED),
        Row("turns 900-1,000 : 100-200, processor time", cost.growth, bar=STEEPEST),
    ]


async def cost_of(place: Path, turns: int) -> Cost:
    """What so many turns cost; nothing but the conversation is in the database."""
    home, folder, script = place / "home", place / "project", place / "scenario.json"
    folder.mkdir(parents=True)
    script.write_text(json.dumps([{"text": text_of(-turn)} for turn in range(1, turns + 1)]))
    cost, thread = Cost(), ""
    async with Runner(home=home) as runner:
        for turn in range(1, turns + 1):
            before = time.process_time()
            thread = await _turn(runner, thread, text_of(turn), folder, f"scripted/{script}")
            cost.seconds.append(time.process_time() - before)
    cost.megabytes = measure_database(home) / 1e6
    await prune_storage(home)
    cost.pruned = measure_database(home) / 1e6
    return cost


async def _turn(runner: Runner, thread: str, words: str, folder: Path, model: str) -> str:
    events = (
        runner.say(thread, words)
        if thread
        else runner.chat(words, folder=folder, options={"model": model})
    )
    last: object = None
    async for event in events:
        last = event
    if not isinstance(last, Completion):
        raise SystemExit(f"a turn of the conversation ended with {last}")
    return last.thread_id


def text_of(seed: int) -> str:
    """Two kilobytes of words that nobody has said before."""
    chance = random.Random(seed)
    letters = string.ascii_lowercase
    words = ("".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(SIZE))
    return " ".join(words)[:SIZE]
