"""Two processes resume one thread, whose last runner was killed: one goes on, the other is told."""

import os
import resource
import select
from dataclasses import dataclass
from pathlib import Path

from gate import Gate, gated
from invariants import faults_in, remains_of
from trial import COLD, PATIENCE, Ended, Process, Trial


@dataclass(frozen=True)
class Race:
    """What came of one race."""

    told_after: float
    """Seconds from the second process's start to its end."""
    cpu: float
    """Seconds of it that the processor worked for this process: more is the machine's own load."""
    faults: list[str]


def race(folder: Path) -> Race:
    """Kill a runner inside a command, start two more at once, let the one that goes on finish."""
    with Gate(folder / "first") as first, Gate(folder / "second") as second:
        pipes = (first.folder, second.folder)
        trial = Trial(folder / "trial", gated(first, second), writable=pipes)
        if faults := _leave_a_lease(trial, first):
            return Race(0, 0, [f"{folder}: {fault}" for fault in faults])
        winner, loser = _by_success(trial.start(wrapper=COLD), trial.start(wrapper=COLD))
        before = _cpu_of_children()
        told = loser.end()
        cpu = _cpu_of_children() - before
        faults = _wrongly_told(told, winner.popen.pid)
        if not second.reached():
            faults.append("the other did not go on")
        second.open()
        last = winner.end().last
    remains = remains_of(trial, last)
    faults += faults_in(remains)
    if remains.unknown != {("coder", 0, 0)}:
        faults.append(f"outcomes unknown: {remains.unknown}")
    return Race(told.seconds, cpu, [f"{folder}: {fault}" for fault in faults])


def _leave_a_lease(trial: Trial, gate: Gate) -> list[str]:
    process = trial.start()
    reached = gate.reached()
    process.popen.kill()
    said = process.end().stderr
    leases = list((trial.home / "data" / "leases").glob("*.lock"))
    return [] if reached and leases else [f"gate reached: {reached}, leases: {leases}, {said}"]


def _by_success(one: Process, other: Process) -> tuple[Process, Process]:
    """First who goes on: it waits for us at the gate, so the other one ends before it."""
    endings = [os.pidfd_open(process.popen.pid) for process in (one, other)]
    ended, _, _ = select.select(endings, [], [], PATIENCE)
    for ending in endings:
        os.close(ending)
    return (other, one) if endings[0] in ended else (one, other)


def _wrongly_told(told: Ended, holder: int) -> list[str]:
    faults: list[str] = []
    if told.code != 1 or f"process {holder} " not in told.stderr or "Traceback" in told.stderr:
        faults.append(f"process {holder} holds it; the other ended {told.code}: {told.stderr}")
    return faults


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
