"""What a snapshot of a large tree costs, beside what git itself takes for the same.

The tree has 20,000 files with the sizes of the standard library's. All work on the same changes,
in turn. `git add -A` is the least that brings the same contents into git's store, without trees
and without waiting for the disk; `git stash create` makes a commit of them, as other agents do.
"""

import asyncio
import os
import resource
import subprocess
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from contenders import environment
from gauge import Gauge
from table import Row

from maxagent.memory.snapshots.file_version import ABSENT, PathChange
from maxagent.memory.snapshots.store import Snapshots
from maxagent.memory.undo.apply import apply_restore

REPETITIONS = 5
CHANGED = (0, 1, 100)
LONG_AGO = 1_000_000_000
"""Git must look into files that are as young as its index."""
LONGEST = 0.5
"""Seconds on the clock that a later snapshot may take."""


@dataclass(frozen=True)
class Cost:
    """Of one piece of work."""

    cpu: float
    """Seconds of the processor, children included."""
    clock: float


def measure_snapshots(gauge: Gauge, project: Path) -> list[Row]:
    """First snapshot, later ones, and taking changes back."""
    return costs_of(project.with_name("tree"), 20_000)


def costs_of(tree: Path, files: int) -> list[Row]:
    """The rows for a tree of so many files."""
    make_tree(tree, files)
    snapshots = Snapshots(tree, tree.with_name("tree-data") / "snapshots", [])
    git = _git_in(tree)
    git("init", "-q")
    git("config", "gc.auto", "0")
    first = [_cost(lambda: asyncio.run(snapshots.take())), _cost(lambda: git("add", "-A"))]
    git("commit", "-qm", "first")
    rows = [_row("first snapshot : git add -A", first[:1], first[1:], 2.0)]
    for count in CHANGED:
        rows += _later(tree, snapshots, git, count)
    return [*rows, _restore(tree, snapshots, git)]


def make_tree(tree: Path, count: int) -> None:
    """A tree of so many files: the standard library's modules, again and again."""
    library = Path(sysconfig.get_paths()["stdlib"])
    sources = sorted(
        path for path in library.glob("*/**/*.py") if "site-packages" not in path.parts
    )
    for number in range(count):
        again, place = divmod(number, len(sources))
        path = tree / f"part_{again}" / sources[place].relative_to(library)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sources[place].read_bytes() + b"# %d\n" % again)
        os.utime(path, (LONG_AGO, LONG_AGO))


def _later(tree: Path, snapshots: Snapshots, git: Callable[..., None], count: int) -> list[Row]:
    ours, added, stashed = list[Cost](), list[Cost](), list[Cost]()
    for repetition in range(REPETITIONS):
        _change(tree, count, repetition)
        ours.append(_cost(lambda: asyncio.run(snapshots.take())))
        stashed.append(_cost(lambda: git("stash", "create")))
        added.append(_cost(lambda: git("add", "-A")))
        git("commit", "-qm", "more", "--allow-empty")
    what = f"snapshot, {count} changed"
    slowest = max(cost.clock for cost in ours)
    return [
        _row(f"{what} : git add -A", ours, added, 4.0),
        _row(f"{what} : git stash create", ours, stashed, 2.0 if count else None),
        Row(f"{what}, most seconds on the clock", slowest, bar=LONGEST),
    ]


def _restore(tree: Path, snapshots: Snapshots, git: Callable[..., None]) -> Row:
    ours, theirs = list[Cost](), list[Cost]()
    for repetition in range(REPETITIONS):
        old = asyncio.run(snapshots.take())
        _change(tree, 100, -repetition - 1)
        new = asyncio.run(snapshots.take())
        ours.append(_cost(lambda: asyncio.run(_put_back(snapshots, old, new))))  # noqa: B023
        _change(tree, 100, -repetition - 1)
        theirs.append(_cost(lambda: git("checkout", "-q", "--", ".")))
    return _row("taking 100 changes back : git checkout", ours, theirs, 3.0)


async def _put_back(snapshots: Snapshots, old: str, new: str) -> None:
    back = [PathChange(c.path, c.new, c.old) for c in await snapshots.list_changes(old, new)]
    contents = await snapshots.read_blobs([c.new.blob for c in back if c.new != ABSENT])
    left = await asyncio.to_thread(apply_restore, snapshots.folder, back, contents, "bench")
    if left or len(back) != 100:
        raise SystemExit(f"{len(back)} changes, left alone: {left}")


def _change(tree: Path, count: int, salt: int) -> None:
    files = sorted(path for path in tree.glob("part_*/*/*.py"))
    for path in files[:: len(files) // count][:count] if count else []:
        with path.open("ab") as file:
            file.write(b"# changed %d %d\n" % (count, salt))


def _git_in(tree: Path) -> Callable[..., None]:
    home = tree.with_name("git-home")
    home.mkdir()
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]

    def git(*arguments: str) -> None:
        command = ["git", *identity, *arguments]
        out = subprocess.DEVNULL
        subprocess.run(command, cwd=tree, env=environment(home), stdout=out, check=True)

    return git


def _cost(work: Callable[[], object]) -> Cost:
    before, started = _spent(), time.perf_counter()
    work()
    return Cost(_spent() - before, time.perf_counter() - started)


def _spent() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _row(what: str, ours: list[Cost], theirs: list[Cost], bar: float | None = None) -> Row:
    mine, other = (median(cost.cpu for cost in costs) for costs in (ours, theirs))
    return Row(what, mine / other, f"{mine * 1000:.0f} ms : {other * 1000:.0f} ms", bar)
