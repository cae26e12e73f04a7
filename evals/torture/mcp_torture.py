"""Kill MCP servers and MaxAgent at each phase of a call; nothing runs twice, nothing hangs.

    python evals/torture/mcp_torture.py 200 [--seed S]

A round is a conversation whose model calls a server three times: twice with an effect at once, once
after a question. It is killed once, and then resumed until it ends. Exit code 1: something was
violated; the folders of such rounds are kept.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

from leftovers import leftovers
from trial import Process

SERVER = Path(__file__).parents[2] / "tests/fixtures" / "mcp_servers" / "hostile.py"
VICTIM = Path(__file__).with_name("mcp_victim.py")
MODULE = [sys.executable, "-m", "maxagent"]
TEXTS = ("first", "second", "third")
MAX_PROCESSES = 8


@dataclass(frozen=True)
class McpKill:
    """One way to die in a round."""

    kind: str
    at: str = ""
    """Place, number and side in MaxAgent: see `mcp_victim.py`."""
    server: str = ""
    """The side of an effect at which the server dies."""
    after_effect: int = 0
    """MaxAgent dies from outside when that many effects are there, and no answer."""


def plan_kills(dice: Random) -> list[McpKill]:
    """Plan one kill a phase and side."""
    # the question ends the first process, so a third call is always in another one
    sides, number = ("before", "after"), dice.randint(1, 2)
    places = {"begin": number, "send": number, "finish": number, "ask": 1, "continue": number}
    return [
        *(
            McpKill(f"MaxAgent {side} {place}", at=f"{place}:{count}:{side}")
            for place, count in places.items()
            for side in sides
        ),
        *(McpKill(f"the server {side} an effect", server=side) for side in sides),
        McpKill("MaxAgent while the server works", after_effect=1),
    ]


def play_round(folder: Path, kill: McpKill) -> list[str]:
    """Play a round; return what is wrong."""
    environ = _prepare(folder, kill)
    events: list[Mapping[str, Any]] = []
    stderr, killed, faults = "", 0, []
    arguments = _begin(folder)
    for number in range(MAX_PROCESSES):
        fatal = number == 0 or (kill.at and not killed)
        program = [sys.executable, str(VICTIM)] if kill.at and fatal else MODULE
        at = {"KILL_AT": kill.at} if kill.at and fatal else {}
        process = Process([*program, *arguments], folder / "project", {**environ, **at})
        if kill.after_effect and fatal:
            _kill_after_effect(process, folder, kill.after_effect)
        ended = process.end()
        events += ended.events
        stderr += ended.stderr
        killed += ended.killed
        if ended.code not in (0, 4, -9):
            return [f"exit code {ended.code}: {ended.stderr[-500:]}"]
        if ended.code == 0:
            break
        thread = next(event["thread_id"] for event in events if event.get("thread_id"))
        arguments = ["resume", thread, "--output", "stream-json", *_answer(ended.last)]
    else:
        faults.append(f"no end in {MAX_PROCESSES} processes")
    if "Traceback" in stderr:
        faults.append(stderr[-1_000:])
    if not killed and not kill.server:
        faults.append("nothing was killed")
    return [*faults, *_judge(folder, events), *leftovers(folder)]


def _answer(last: Mapping[str, Any]) -> list[str]:
    """Answer the question that a process has ended with, if any."""
    asked = last.get("type") == "question"
    return ["--question", last["id"], "--answer", "Ann"] if asked else []


def _prepare(folder: Path, kill: McpKill) -> dict[str, str]:
    """Write the server, the scenario and the home; return the variables of every process."""
    for name in ("project", "home", "config/maxagent"):
        (folder / name).mkdir(parents=True)
    wait = "1.5" if kill.after_effect else "0"
    env = {"MCP_EFFECTS": str(folder / "effects"), "MCP_DIE": kill.server, "MCP_WAIT": wait}
    arguments = ["-S", "-I", str(SERVER), "new"]
    server = {"type": "stdio", "command": sys.executable, "args": arguments, "env": env}
    servers = json.dumps({"servers": {"s": server}})
    (folder / "config/maxagent/mcp_servers.json").write_text(servers)
    tools = ("effect", "asked_effect", "effect")
    turns: list[Any] = [
        {"tool_calls": [_call(tool, text)]} for tool, text in zip(tools, TEXTS, strict=True)
    ]
    (folder / "scenario.json").write_text(json.dumps({"build": [*turns, {"text": "Done."}]}))
    home = str(folder / "home")
    return {**os.environ, "MAXAGENT_HOME": home, "XDG_CONFIG_HOME": str(folder / "config")}


def _call(tool: str, text: str) -> dict[str, Any]:
    arguments = {"server_name": "s", "tool_name": tool, "arguments": {"text": text}}
    return {"name": "use_mcp_tool", "args": arguments}


def _begin(folder: Path) -> list[str]:
    model = f"scripted/{folder / 'scenario.json'}"
    return ["chat", "Go.", "--model", model, "--mode", "auto", "--output", "stream-json"]


def _kill_after_effect(process: Process, folder: Path, count: int) -> None:
    effects = folder / "effects"
    while process.popen.poll() is None:
        if effects.exists() and effects.read_text().count("\n") >= count:
            process.popen.kill()
            return
        time.sleep(0.005)


def _judge(folder: Path, events: list[Mapping[str, Any]]) -> list[str]:
    """Compare the effects with what the model was told."""
    effects = folder / "effects"
    done = Counter(effects.read_text().split() if effects.exists() else [])
    told: dict[str, Mapping[str, Any]] = {
        event["args"]["text"]: event for event in events if event["type"] == "tool_result"
    }
    faults: list[str] = []
    for text in TEXTS:
        result = told.get(text)
        if done[text] > 1:
            faults.append(f"`{text}` has run {done[text]} times")
        if result is None:
            faults.append(f"the model was told nothing of `{text}`")
        elif result["ok"] and done[text] != 1:
            faults.append(f"`{text}` is told as done, and was not")
    return faults


def torture(rounds: int, dice: Random, folder: Path) -> tuple[Counter[str], list[str]]:
    """Play that many rounds; return the kills by kind, and the faults."""
    kinds, faults = Counter[str](), list[str]()
    kills = (kill for _ in cycle([0]) for kill in plan_kills(dice))
    for number, kill in enumerate(islice(kills, rounds)):
        place = folder / f"round-{number}"
        wrong = play_round(place, kill)
        kinds[kill.kind] += 1
        faults += [f"{place}: {kill}: {fault}" for fault in wrong]
        if not wrong:
            shutil.rmtree(place)
    return kinds, faults


def main() -> int:
    """Play the rounds that the arguments ask for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=None)
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else time.time_ns() % 2**32
    folder = Path(tempfile.mkdtemp(prefix="mcp-torture-"))
    began = time.monotonic()
    kinds, faults = torture(chosen.rounds, Random(seed), folder)
    for kind, count in sorted(kinds.items()):
        print(f"{kind:50}{count:>6}")
    seconds = f"{time.monotonic() - began:.0f} s"
    print(f"{kinds.total()} rounds, {len(faults)} faults, {seconds}, seed {seed}")
    print(*faults, sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
