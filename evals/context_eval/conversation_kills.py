"""Kill a long conversation at random moments, also inside its compactions, and go on each time."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from random import Random

from chapter_plan import ChapterPlan
from chapter_server import ChapterServer
from warm_start import LANG, start_python

VICTIM = Path(__file__).with_name("conversation_victim.py")
PLACES = ("compact:before", "compact:after", "aput:before", "aput_writes:after", "tool:before")
PATIENCE = 900
"""Seconds after which a process counts as hung."""


def kill_conversation(
    plan: ChapterPlan, place: Path, server: ChapterServer, kills: int, dice: Random
) -> Counter[str]:
    """Hold the conversation through so many kills; return how many of each kind have landed."""
    landed = Counter[str]()
    for kind, environ, seconds in plan_kills(dice):
        if landed.total() >= kills:
            break
        if run_victim(plan, place, server, kind, environ, seconds) == 0:
            return landed  # it was over before all kills
        landed[kind] += 1
    code = run_victim(plan, place, server, "spared", {}, PATIENCE)
    if code:
        raise SystemExit(f"the conversation that nobody killed ended with {code}")
    return landed


def plan_kills(dice: Random) -> Iterator[tuple[str, dict[str, str], float]]:
    """Kinds of kills in turn: what they are called, the victim's environment, its seconds."""
    for place in cycle(PLACES):
        yield "inside a request for a summary", {"KILL_AT": "summary"}, PATIENCE
        name, side = place.split(":")
        number = 1 if name == "compact" else dice.randint(1, 25)
        yield f"{side} {name}", {"KILL_AT": f"{name}:{number}:{side}"}, PATIENCE
        yield "a moment", {}, dice.uniform(1.0, 4.0)


def run_victim(
    plan: ChapterPlan,
    place: Path,
    server: ChapterServer,
    kind: str,
    environ: dict[str, str],
    seconds: float,
) -> int:
    """Return the exit code of one process; raises SystemExit if it failed by itself."""
    arguments = [str(VICTIM), str(place), json.dumps(asdict(plan))]
    surroundings = {**os.environ, "LANG": LANG, **environ}
    victim = start_python(arguments, Path.cwd(), surroundings)
    server.at_summary = victim.kill if environ.get("KILL_AT") == "summary" else None
    try:
        said = victim.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        victim.kill()
        said = victim.communicate()[1]
    if victim.returncode not in (0, -9):
        raise SystemExit(f"{kind}: exit code {victim.returncode}\n{said[-3000:]}")
    return victim.returncode
