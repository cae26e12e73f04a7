"""Let workers run tasks while they are killed; nothing is lost, nothing is done twice.

    PYTHONPATH=tests/fixtures python evals/workers/worker_kills.py --tasks 200 --workers 4 --every 4
    … --kills 200 --workers 2      kill until that many have landed, with new tasks as needed
    … --every 0                    undisturbed: prints the throughput
    … --sqlite                     one home with SQLite instead of PostgreSQL

Every `--every` seconds one worker is killed and another one started in its home; one kill in eight
is a SIGTERM, which drains it. Exit code 1 when an invariant (`fleet.py`) was violated.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random

from fleet import Fleet, check, kill
from postgres_server import run_server
from warm_start import RunningProgram

PATIENCE = 900.0


def main() -> int:
    """Run the loop and print the report; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--every", type=float, default=4.0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sqlite", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="workers-"))
    with ExitStack() as held:
        database = "" if options.sqlite else held.enter_context(run_server()).create_schema()
        fleet = Fleet(folder, database, options.workers)
        held.callback(fleet.end)
        faults = run_loop(fleet, options)
    broken = {name: each for name, each in faults.items() if each}
    print(f"{len(faults)} invariants, {sum(map(len, broken.values()))} violated")
    for name, each in broken.items():
        print(f"  {name}: {len(each)}\n    " + "\n    ".join(each[:5]))
    if not broken:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"kept: {folder}")
    return int(bool(broken))


def run_loop(fleet: Fleet, options: argparse.Namespace) -> dict[str, list[str]]:
    """Queue the tasks, disturb the workers until all tasks have ended, and check."""
    dice = Random(options.seed)
    threads = fleet.submit(options.tasks)
    workers = [fleet.start_worker(number) for number in range(options.workers)]
    complaints, kills, drains = list[str](), 0, 0
    start = time.monotonic()
    first = fleet.count_open()
    while (
        open_jobs := fleet.count_open()
    ) and time.monotonic() - start < PATIENCE + 10 * options.tasks:
        pause = dice.uniform(0.5, 1.5) * options.every if options.every else 1.0
        time.sleep(pause)
        if not options.every or (options.kills and kills >= options.kills):
            continue
        number = dice.randrange(options.workers)
        is_drain = dice.random() < 1 / 8
        kill(workers[number], signal.SIGTERM if is_drain else signal.SIGKILL)
        complaints += end(workers[number])
        drains, kills = drains + is_drain, kills + (not is_drain)
        workers[number] = fleet.start_worker(number)
        print(
            f"{time.monotonic() - start:6.0f} s: {kills} kills, {drains} drains,"
            f" {open_jobs} jobs left"
        )
    seconds = time.monotonic() - start
    for worker in workers:
        kill(worker, signal.SIGTERM)
        complaints += end(worker)
    print(
        f"{first} tasks, {options.workers} workers, {kills} kills, {drains} drains:"
        f" {seconds:.0f} s, {first / seconds:.2f} tasks/s"
    )
    faults = check(fleet, threads)
    faults["no traceback on stderr"] += [each for each in complaints if "Traceback" in each]
    return faults


def end(worker: RunningProgram) -> list[str]:
    """Wait for a worker's end; return its complaints."""
    _, complaint = worker.communicate(timeout=120)
    return [complaint] if complaint else []


if __name__ == "__main__":
    sys.exit(main())
