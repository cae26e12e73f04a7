"""What a long thread costs: its database, reading it, and going on with it."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from contenders import MAXAGENT, reading
from gauge import Gauge
from provider import Answer
from starts import ratio
from steps import take_steps
from table import Row

from maxagent.cli.lazy_imports import collect_seldom, without_collector

with without_collector():  # as `mcode resume` does
    from maxagent.graphs.task import build_graph
    from maxagent.memory.database.checkpointer import open_checkpointer
    from maxagent.memory.threads.index import ThreadIndex

SIZE = 2000
"""Bytes of a message."""
SHORT, LONG = 100, 1000
"""Messages of the two threads."""
REPETITIONS = 15
RESUMES = 5
LARGEST = 30
"""MB of the long thread's database."""
UNCUT = replace(
    MAXAGENT,
    config="  context_length: 10000000\ncontext:\n  compact_tokens: 10000000\n",
)
"""The script counts the answers in each request, so no request may leave one out."""


def measure_lengths(gauge: Gauge, project: Path) -> list[Row]:
    """Two threads through the real graph; each is read on new connections, and gone on with."""
    (project / "notes.txt").write_text(text_of(0))
    databases = {length: make_thread(gauge, project, length) for length in (SHORT, LONG)}
    megabytes = {length: path.stat().st_size / 1e6 for length, path in databases.items()}
    whole, alone = f"reading {LONG} : {SHORT} messages", "the same without connection and graph"
    reads = _reads(databases)
    resumes = _resumes(gauge, project)
    return [
        Row(f"MB of a thread of {LONG} messages", megabytes[LONG], bar=LARGEST),
        Row(f"MB of a thread of {SHORT} messages", megabytes[SHORT]),
        ratio(f"{whole}, processor time", *_pair(reads, "cpu"), 3.0),
        ratio(f"{whole}, wall", *_pair(reads, "wall"), 3.0),
        ratio(f"{alone}, processor time", *_pair(reads, "state")),
        ratio(f"first request of a resume, {LONG} : {SHORT}", *_pair(resumes, "cpu"), 3.0),
    ]


def make_thread(gauge: Gauge, project: Path, messages: int) -> Path:
    """A thread of that many messages of 2 kB, half from the model and half from the tool."""

    def answer(number: int) -> Answer:
        return reading(number, text_of(number))

    home = _home(project, messages)
    take_steps(gauge, project, home, UNCUT, answer, messages // 2)
    return home / ".llc" / "data" / "threads.db"


def text_of(number: int) -> str:
    """Two kilobytes in lines."""
    line = f"{number}: a line of a text that has no end but its length\n"
    return (line * (SIZE // len(line) + 1))[:SIZE]


Times = dict[int, list[dict[str, float]]]
"""Seconds of each repetition, by length of the thread."""


def _reads(databases: dict[int, Path]) -> Times:
    times: Times = {length: [] for length in databases}
    collect_seldom()  # as each command of `mcode` does
    for repetition in range(REPETITIONS + 1):
        for length, database in databases.items():
            spent = asyncio.run(_read(database, length))
            if repetition:
                times[length].append(spent)
    return times


async def _read(database: Path, least: int) -> dict[str, float]:
    """Open a connection, build the graph on it and read the thread's state."""
    thread = ThreadIndex(database.parents[1]).list()[0].thread_id
    cpu, wall = time.process_time(), time.perf_counter()
    async with open_checkpointer(database) as saver:
        graph = build_graph().compile(checkpointer=saver, name="task")
        before = time.process_time()
        state = await graph.aget_state({"configurable": {"thread_id": thread}})
        end = time.process_time()
    if len(state.values["messages"]) < least:
        raise SystemExit(f"{database}: only {len(state.values['messages'])} messages")
    return {"cpu": end - cpu, "state": end - before, "wall": time.perf_counter() - wall}


def _resumes(gauge: Gauge, project: Path) -> Times:
    """Both threads in turn; the model refuses, so that they stay as they are."""
    times: Times = {SHORT: [], LONG: []}
    for _ in range(RESUMES):
        for length, spent in times.items():
            ran = UNCUT.run(gauge, project, _home(project, length), again=True)
            spent.append({"cpu": ran.marks[0]})
    return times


def _pair(times: Times, what: str) -> tuple[list[float], list[float]]:
    return [each[what] for each in times[LONG]], [each[what] for each in times[SHORT]]


def _home(project: Path, messages: int) -> Path:
    return project.with_name(f"thread-{messages}")
