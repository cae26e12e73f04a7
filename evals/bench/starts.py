"""What it costs to get from exec to the first request, and what that request carries."""

import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import median

from contenders import CHAT, CONTENDERS, HTTPX, LANGGRAPH, MAXAGENT, WARM
from gauge import PATIENCE, Gauge, Ran
from prompts import measure_parts, system_characters, tool_sizes
from table import Row

REPETITIONS = 9
SYSTEM_BAR = 8000
FIRST_BAR = 20_480
"""Bytes of a conversation's first request on a new home."""
PEERS = "opencode 30,786, Codex 39,738, Claude Code 50,044"


def measure_starts(gauge: Gauge, project: Path) -> list[Row]:
    """Every program on a new home; the model refuses its first request."""
    runs: dict[str, list[Ran]] = {contender.name: [] for contender in CONTENDERS}
    for repetition in range(REPETITIONS + 1):
        for contender in CONTENDERS:
            home = project.with_name(f"start-{repetition}-{contender.name.replace(' ', '-')}")
            ran = contender.run(gauge, project, home)
            if repetition:  # the first one compiles
                runs[contender.name].append(ran)
    first = {name: [ran.marks[0] for ran in each] for name, each in runs.items()}
    whole = {name: [ran.cpu for ran in each] for name, each in runs.items()}
    return [
        ratio("mcode : bare LangGraph", first[MAXAGENT.name], first[LANGGRAPH.name], 1.3),
        ratio("mcode : bare httpx", first[MAXAGENT.name], first[HTTPX.name]),
        ratio("bare LangGraph : bare httpx", first[LANGGRAPH.name], first[HTTPX.name]),
        ratio("exec to exit, mcode : bare LangGraph", whole[MAXAGENT.name], whole[LANGGRAPH.name]),
        *_sizes(runs[MAXAGENT.name][0]),
        *_parts(CHAT.run(gauge, project, project.with_name("start-conversation"))),
    ]


def measure_warm_starts(gauge: Gauge, project: Path) -> list[Row]:
    """A task on a home where a server has everything loaded, beside the bare loop."""
    home = project.with_name("start-warm")
    WARM.run(gauge, project, home)
    _wait_for_server(home)
    bare, warm = list[Ran](), list[Ran]()
    for repetition in range(REPETITIONS):
        bare.append(HTTPX.run(gauge, project, project.with_name(f"start-bare-{repetition}")))
        warm.append(WARM.run(gauge, project, home))
    marks = [[ran.marks[0] for ran in each] for each in (warm, bare)]
    waits = [[ran.waits[0] for ran in each] for each in (warm, bare)]
    return [
        ratio("mcode, forked : bare httpx", *marks, 1.6),
        ratio("on the clock, mcode, forked : bare httpx", *waits, 1.6),
    ]


def _wait_for_server(home: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not [*(home / ".llc" / "data" / "fork-servers").glob("*[0-9a-f]")]:
        if time.monotonic() > end:
            raise TimeoutError("no fork server has started")
        time.sleep(0.1)


def ratio(
    what: str, ours: Sequence[float], theirs: Sequence[float], bar: float | None = None
) -> Row:
    """The median of the ratios of runs that were neighbours."""
    pairs = zip(ours, theirs, strict=True)
    detail = f"{median(ours) * 1000:.4g} ms : {median(theirs) * 1000:.4g} ms"
    return Row(what, median(a / b for a, b in pairs), detail, bar)


def _sizes(ran: Ran) -> list[Row]:
    request = ran.requests[0]
    sizes = tool_sizes(request)
    largest = ", ".join(f"{name} {size}" for name, size in islice(sizes.items(), 4))
    return [
        Row("characters of system prompt", system_characters(request), bar=SYSTEM_BAR),
        Row("characters of tools", sum(sizes.values()), f"{len(sizes)} tools: {largest}"),
        Row("bytes of the whole first request", len(request.raw)),
    ]


def _parts(ran: Ran) -> list[Row]:
    """What the first request of a conversation carries, by part."""
    request = ran.requests[0]
    whole = Row("bytes of a conversation's first request", len(request.raw), PEERS, FIRST_BAR)
    parts = measure_parts(request)
    return [whole, *(Row(f"of these, {name}", size) for name, size in parts.items())]
