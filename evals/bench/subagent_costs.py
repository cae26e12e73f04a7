"""What sub-agents cost: time in parallel, memory, and the first request of one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from contenders import CHAT, Contender, reading
from gauge import Gauge, Ran
from provider import Answer
from starts import ratio
from table import Row

CHILDREN = 8
DELAY = 1.0
"""Seconds that each request takes."""
REPETITIONS = 5
ALONE = replace(CHAT, config="agents:\n  max_parallel: 1\n")


def measure_subagents(gauge: Gauge, project: Path) -> list[Row]:
    """Eight explorers at once and one after another; one explorer; a step of a conversation."""
    together = _send(gauge, project, "together", CHAT, CHILDREN, DELAY)
    apart = _send(gauge, project, "apart", ALONE, CHILDREN, DELAY)
    one = [_send(gauge, project, f"one-{n}", CHAT, 1) for n in range(REPETITIONS)]
    eight = [_send(gauge, project, f"eight-{n}", CHAT, CHILDREN) for n in range(REPETITIONS)]
    steps = [_take_step(gauge, project, f"step-{n}") for n in range(REPETITIONS)]
    wall = [ran.requests[-1].at - ran.requests[0].at for ran in (together, apart)]
    more = (median(r.memory for r in eight) - median(r.memory for r in one)) / (CHILDREN - 1)
    return [
        Row(
            "8 explorers, at once : one after another (clock)",
            wall[0] / wall[1],
            f"{wall[0]:.2f} s : {wall[1]:.2f} s",
            0.35,
        ),
        Row("MB for each further explorer", more, bar=3.0),
        ratio(
            "first request of a child : first step of a conversation",
            [ran.marks[1] - ran.marks[0] for ran in one],
            [ran.marks[1] - ran.marks[0] for ran in steps],
            1.1,
        ),
    ]


def _send(
    gauge: Gauge, project: Path, name: str, contender: Contender, count: int, delay: float = 0.0
) -> Ran:
    """Run a conversation that sends so many explorers, each with one answer."""
    tasks = [{"agent_type": "explore", "task": f"look {number}"} for number in range(count)]
    call: Answer = {"tool_calls": [{"name": "subagent", "args": {"tasks": tasks}}]}
    report: dict[str, Any] = {"text": "Found nothing.", "wait": delay}
    return _run(gauge, project, name, contender, [call, *[report] * count], count + 2)


def _take_step(gauge: Gauge, project: Path, name: str) -> Ran:
    return _run(gauge, project, name, CHAT, [reading(0)], 2)


def _run(
    gauge: Gauge,
    project: Path,
    name: str,
    contender: Contender,
    answers: Sequence[Answer],
    requests: int,
) -> Ran:
    ran = contender.run(gauge, project, project.with_name(f"subagents-{name}"), answers)
    if len(ran.marks) != requests:
        raise SystemExit(f"{name}: {len(ran.marks)} requests:\n{ran.said[-2000:]}")
    return ran
