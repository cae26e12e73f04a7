"""SIGKILL while files are put back or a snapshot is taken: it is finished, or nothing happened."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

from recorded_project import Recorded, Tree
from undo_acts import Actor, furnish

from maxagent.memory.snapshots.store import Snapshots

VICTIM = [sys.executable, str(Path(__file__).with_name("undo_victim.py"))]
STEPS = 8
LONGEST = {"rewind": 0.12, "take": 0.05}
"""Seconds in which most of this size are over."""


def killed_restore(folder: Path, dice: Random) -> tuple[str, list[str]]:
    """How it died, and what is wrong after it was finished."""
    project = Recorded(folder)
    furnish(project.folder, dice)
    agent, start = Actor(project.folder, dice, "agent"), project.files()
    for _ in range(STEPS):
        asyncio.run(project.shell(lambda _: agent.command()))
    before = project.files()
    how = _kill(folder, "rewind", dice)
    return f"restores {how}", list(_faults(Recorded(folder), start, before))


def killed_snapshot(folder: Path, dice: Random) -> tuple[str, list[str]]:
    """How the first or a later one died, and what is wrong with the next."""
    project = Recorded(folder)
    furnish(project.folder, dice)
    if dice.random() < 0.5:
        asyncio.run(project.shell(lambda _: None))
        for _ in range(STEPS):
            Actor(project.folder, dice, "user").meddle()
    before = project.files()
    how = _kill(folder, "take", dice)
    faults = [] if project.files() == before else ["files were changed"]
    fresh = Snapshots(project.folder, folder / "fresh" / "snapshots", [])
    same = asyncio.run(Recorded(folder).snapshots.take()) == asyncio.run(fresh.take())
    return f"snapshots {how}", faults if same else [*faults, "the next snapshot is a wrong one"]


def _kill(folder: Path, what: str, dice: Random) -> str:
    inside = what == "rewind" and dice.random() < 0.7
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    if inside:
        environ["KILL_AT"] = str(dice.randint(1, dice.choice([10, 40, 120])))
    with subprocess.Popen(
        [*VICTIM, str(folder), what], env=environ, stdout=subprocess.PIPE, start_new_session=True
    ) as victim:
        assert victim.stdout and victim.stdout.readline() == b"ready\n"
        if not inside:
            time.sleep(dice.uniform(0, LONGEST[what]))
            with suppress(ProcessLookupError):
                os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()
    if victim.returncode == 0:
        return "over before the kill"
    if victim.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the victim of {folder} failed by itself")
    return "killed at a call" if inside else "killed at a moment"


def _faults(project: Recorded, start: Tree, before: Tree) -> Iterator[str]:
    begun = [entry for entry in project.entries() if entry.kind == "rewind"]
    done = asyncio.run(project.finish())
    if done and done.conflicts:
        yield f"finishing it found conflicts: {done.conflicts}"
    expected = start if begun else before
    if project.files() != expected:
        yield f"neither done nor untouched: {project.files()} is not {expected}"
    if asyncio.run(project.finish()):
        yield "finished twice"
    left = [path for path in project.folder.rglob(".mcode-*") if path.name != ".mcode-placeholder"]
    if left:
        yield f"left behind: {left}"
    if begun:
        asyncio.run(project.redo())
        if project.files() != before:
            yield "what was finished cannot be redone"
