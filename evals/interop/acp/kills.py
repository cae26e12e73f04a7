"""Kills of `mcode acp` and of clients that others wrote, at each phase of a conversation."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from acp_torture import Conversation

FIRST = ("initialize", "new", "prompt", "permission", "tool_call_update", "cancel")
"""Phases of a conversation that begins."""
LATER = ("list", "load", "fork", "close")
"""Those of one that is opened again, with an open question."""
VICTIMS = ("agent", "client")
# Seconds for a client, for an agent to end after its client, and attempts to end the thread
PATIENCE, ENDS, ATTEMPTS = 120, 20, 3
AGENT = (sys.executable, "-m", "maxagent", "acp")


@dataclass(frozen=True)
class ClientRun:
    """What a client has printed."""

    agent: int
    """The number of the agent's process."""
    has_killed: bool


def run_client(
    program: Sequence[str], conversation: Conversation, phase: str, victim: str
) -> ClientRun:
    """Run a client until it has killed, or the thread has ended; keep the session's ID."""
    filled = [str(conversation.program.project) if word == "FOLDER" else word for word in program]
    ended = subprocess.run(
        [*filled, phase, victim, conversation.session, *AGENT],
        cwd=conversation.program.project,
        env=conversation.program.environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    printed = dict(line.split() for line in ended.stdout.splitlines())
    conversation.session = printed.get("session", conversation.session)
    return ClientRun(int(printed.get("agent", 0)), "kill" in printed)


def try_kills(program: Sequence[str], folder: Path) -> dict[str, str]:
    """Return how each phase ended for both victims; FOLDER in the program is the project's."""
    return {phase: _try_phase(program, folder / phase, phase) for phase in (*FIRST, *LATER)}


def _try_phase(program: Sequence[str], folder: Path, phase: str) -> str:
    failed = list[str]()
    for victim in VICTIMS:
        place = folder / victim
        place.mkdir(parents=True)
        if (end := kill_at(program, place, phase, victim)) != "done":
            failed.append(f"{end} ({victim})")
    return ", ".join(failed) or "done"


def kill_at(program: Sequence[str], place: Path, phase: str, victim: str) -> str:
    """Kill once at a phase, and have new processes go on; return `done` or what is wrong."""
    conversation = Conversation(place, Random(0))
    if phase in LATER:
        run_client(program, conversation, "permission", "agent")
    run = run_client(program, conversation, phase, victim)
    if not run.has_killed:
        return "failed: the phase was not met"
    if not has_ended(run.agent):
        return "failed: the agent outlives its client"
    for _ in range(ATTEMPTS):
        if not conversation.is_over():
            if not conversation.read_status():  # a session without a message is gone with its agent
                conversation.session = ""
            run_client(program, conversation, "none", "nobody")
    written = conversation.read_log()
    if len(set(written)) < len(written):
        return f"failed: {written}"
    is_whole = conversation.is_over() and not conversation.find_untold()
    return "done" if is_whole else "failed: not at its end"


def has_ended(agent: int) -> bool:
    """Return whether a process ends soon."""
    end = time.monotonic() + ENDS
    while time.monotonic() < end:
        try:
            os.kill(agent, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
