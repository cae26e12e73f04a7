"""The ways to die: at a random moment, before or after a chosen function, inside a system call."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import cycle, product
from random import Random

from trial import COLD, Ended, Trial
from victim import PLACES, SIDES

SYSCALLS = {"fdatasync": 8, "pwrite64": 40, "fsync": 4, "write": 60}
"""What writes to the disk, and the highest number of a call, in one thread, that is fatal."""
RARE = {"record": 1, "lease": 1, "set_status": 2}
"""Places that a process passes that often; the others it passes ten times or more."""


@dataclass(frozen=True)
class Kill:
    """One way to die, decided before the process starts."""

    kind: str
    environ: Mapping[str, str] = field(default_factory=dict)
    wrapper: tuple[str, ...] = ()
    after: float | None = None
    """Seconds after which SIGKILL comes from outside."""
    since_start: bool = False
    """They are counted from the start of the process, otherwise from its first event."""


SPARED = Kill("spared")


def planned_kills(dice: Random) -> Iterator[Kill]:
    """Kills for ever: four of ten at moments, the others at all places and calls in turn."""
    places = cycle(product(PLACES, SIDES))
    syscalls = cycle(SYSCALLS) if shutil.which("strace") else None
    while True:
        yield _moment(dice)
        yield _place(*next(places), dice)
        yield _moment(dice)
        yield _place(*next(places), dice)
        yield _syscall(next(syscalls), dice) if syscalls else _moment(dice)


def attempt(trial: Trial, kill: Kill) -> Ended:
    """Start or resume the trial's task, kill it in this way, and wait for its end."""
    process = trial.start(environ=kill.environ, wrapper=kill.wrapper)
    if kill.after is not None:
        if not kill.since_start:
            process.wait_for("run_started")
            trial.visit()
        try:
            process.popen.wait(kill.after)
        except subprocess.TimeoutExpired:
            process.popen.kill()
    ended = process.end()
    asked = not ended.killed and ended.last.get("type") == "question"
    trial.asked = ended.last["id"] if asked else ""
    return ended


def _moment(dice: Random) -> Kill:
    if dice.random() < 0.2:
        after = dice.uniform(0, 2)
        return Kill("a moment while it starts", wrapper=COLD, after=after, since_start=True)
    longest = dice.choice([0.3, 2])  # a process that only asks the next question is soon over
    return Kill("a moment while it runs", after=dice.uniform(0, longest))


def _place(place: str, side: str, dice: Random) -> Kill:
    number = dice.randint(1, RARE.get(place, 10))
    return Kill(f"{side} {place}", environ={"KILL_AT": f"{place}:{number}:{side}"})


def _syscall(name: str, dice: Random) -> Kill:
    inject = f"inject={name}:signal=SIGKILL:when={dice.randint(1, SYSCALLS[name])}"
    quiet = ("-qqq", "-o", "/dev/null")
    return Kill(f"inside {name}", wrapper=("strace", "-f", *quiet, "-e", inject))
