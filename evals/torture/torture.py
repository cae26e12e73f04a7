"""Kill a task N times, resume it each time, and look whether anything was lost or done twice.

    PYTHONPATH=tests/fixtures python evals/torture/torture.py 200 [--seed S] [--folder F]

Every run has a fresh project and a fresh home. It is killed a few times, at random moments, before
and after chosen functions and inside system calls (`kills.py`), resumed each time, and in the end
left alone. Then every invariant is checked (`invariants.py`). At last two processes resume one
thread, 20 times (`rivals.py`). Exit code 1 when anything was violated; the folders of such runs
are kept. The same seed plans the same errands and kills; where a moment falls is up to the machine.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from errand import errand
from invariants import INVARIANTS, Remains, remains_of
from kills import SPARED, Kill, attempt, planned_kills
from leftovers import leftovers
from rivals import race
from trial import Ended, Trial

LONGEST = 12
"""Kills of one run at most."""
MAX_QUESTIONS = 9
"""Processes that a run which is not killed any more needs at most: one for each question."""
TOLD_WITHIN = 2.0
"""Seconds from its start in which a second process has said who holds the thread, and ended."""
NO_LEFTOVERS = "no process outlives a kill"
QUIET = "no traceback on stderr"
PROPER_END = "a process that is not killed says how it ended"
LAST_EVENTS = {"completion", "question", "interrupted", "error"}


@dataclass
class Tally:
    """What was done and what was found."""

    kills: Counter[str] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str]] = field(default_factory=list)
    """The invariant; the run's folder and what is wrong there."""
    runs: int = 0
    processes: int = 0
    unknown: int = 0

    def check(self, invariant: str, folder: Path, faults: list[str]) -> None:
        """Count one check and keep what it found."""
        self.checked[invariant] += 1
        self.faults += [(invariant, f"{folder}: {fault}") for fault in faults]


def torture(kills: int, dice: Random, folder: Path, say: Callable[[str], None] = print) -> Tally:
    """Run after run until that many kills have landed."""
    tally, plan = Tally(), planned_kills(dice)
    while (missing := kills - tally.kills.total()) > 0:
        trial = _trial(folder / f"run-{tally.runs}", dice)
        before, faults = tally.kills.total(), len(tally.faults)
        last = _killed_and_resumed(
            trial, [next(plan) for _ in range(min(missing, dice.randint(2, LONGEST)))], dice, tally
        )
        remains = remains_of(trial, last.last)
        _check(remains, tally)
        say(
            f"run {tally.runs}: {tally.kills.total() - before} kills, "
            f"{len(remains.unknown)} outcomes unknown, {len(tally.faults) - faults} faults"
        )
        if len(tally.faults) == faults:
            shutil.rmtree(trial.folder)
        tally.runs += 1
        tally.unknown += len(remains.unknown)
    return tally


def _trial(folder: Path, dice: Random) -> Trial:
    """One of six asks for every effect, and every answer is a process of its own."""
    if dice.random() < 1 / 6:
        return Trial(folder, errand(dice.randrange(2**32), turns=3), mode="ask")
    return Trial(folder, errand(dice.randrange(2**32)))


def _killed_and_resumed(trial: Trial, kills: list[Kill], dice: Random, tally: Tally) -> Ended:
    """The last process of the run: the first one that ended the task."""
    for kill in [*kills, *[SPARED] * MAX_QUESTIONS]:
        ended = attempt(trial, kill)
        tally.processes += 1
        tally.check(QUIET, trial.folder, [ended.stderr] if "Traceback" in ended.stderr else [])
        if not ended.killed:
            proper = ended.last.get("type") in LAST_EVENTS
            said = f"{kill}: exit code {ended.code}, {ended.last}, {ended.stderr}"
            tally.check(PROPER_END, trial.folder, [] if proper else [said])
        if not ended.killed and ended.last.get("type") == "completion":
            return ended
        tally.kills[kill.kind] += ended.killed
        if dice.random() < 0.7:  # the others are resumed at once
            tally.check(NO_LEFTOVERS, trial.folder, leftovers(trial.folder))
    return ended


def _check(remains: Remains, tally: Tally) -> None:
    folder = remains.trial.folder
    for invariant in INVARIANTS:
        tally.check(invariant.__doc__ or "", folder, invariant(remains))
    tally.check(NO_LEFTOVERS, folder, leftovers(folder))


def _report(tally: Tally) -> None:
    print(f"\n{'kills':66}{tally.kills.total():>8}")
    for kind, number in sorted((+tally.kills).items()):
        print(f"  {kind:64}{number:>8}")
    print(f"{'runs':66}{tally.runs:>8}")
    print(f"{'processes':66}{tally.processes:>8}")
    print(f"{'calls told that their outcome is unknown':66}{tally.unknown:>8}")
    print(f"\n{'what must hold':66}{'checked':>8}{'violated':>10}")
    violated = Counter(invariant for invariant, _ in tally.faults)
    for invariant, number in tally.checked.items():
        print(f"  {invariant:64}{number:>8}{violated[invariant]:>10}")
    for invariant, fault in tally.faults:
        print(f"\nVIOLATED: {invariant}\n  {fault}")


def _races(times: int, folder: Path) -> bool:
    """Two processes on one thread, that often; whether all went as it must."""
    races = [race(folder / f"race-{number}") for number in range(times)]
    faults = [fault for race in races for fault in race.faults]
    slow = [race for race in races if race.told_after > TOLD_WITHIN]
    good = sum(not race.faults for race in races)
    print(f"\ntwo processes on one thread: {good} of {times} times one went on, one was told")
    print(
        f"told in {TOLD_WITHIN:g} s: {times - len(slow)} of {times}; at the latest after"
        f" {max(race.told_after for race in races):.2f} s, {max(race.cpu for race in races):.2f} s"
        f" of them processor time; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )
    for fault in faults:
        print(f"VIOLATED: {fault}")
    return not faults and not slow


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kills", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--folder", type=Path, help="where runs are kept; default: a temporary one")
    chosen = parser.parse_args()
    folder = chosen.folder or Path(tempfile.mkdtemp(prefix="torture-"))
    print(f"seed {chosen.seed}, folder {folder}")
    if not shutil.which("strace"):
        print("strace is not installed: no kills inside system calls")
    tally = torture(chosen.kills, Random(chosen.seed), folder)
    _report(tally)
    all_good = _races(20, folder) and not tally.faults
    if all_good:
        shutil.rmtree(folder)
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
