"""Random histories of a project: go back to random places, and look whether anything is wrong.

    PYTHONPATH=tests/fixtures python evals/torture/undo.py 500 [--seed S]

Agents edit and run commands, users change other files, other lines and the same lines in between;
then it is undone, redone and rewound at random, and each time a model that knows nothing of the
implementation says what must hold (`undo_model.py`). Restores and snapshots are killed at random
moments as well (`undo_kills.py`). The same seed makes the same histories. Exit code 1 when anything
was violated; the folder of such a history is kept.
"""

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from recorded_project import Recorded, Tree
from undo_acts import Actor, furnish
from undo_kills import killed_restore, killed_snapshot
from undo_model import Goal, Moment, Witness

from maxagent.memory.undo.history import HistoryEntry
from maxagent.memory.undo.undo_stack import find_last_restore, find_last_turn, find_later_entries

ACTS = 30
KILLED = 0.4
"""Kills for each history."""
CHANCES = {
    "edit": 4,
    "command": 5,
    "user": 4,
    "turn": 2,
    "undo": 1.5,
    "redo": 1,
    "rewind": 2,
    "undo by force": 0.4,
    "rewind by force": 0.4,
}


class History:
    """One project from its beginning to the end."""

    def __init__(self, folder: Path, dice: Random) -> None:
        self.dice = dice
        self.project = Recorded(folder)
        furnish(self.project.folder, self.dice)
        self.agent = Actor(self.project.folder, self.dice, "agent")
        self.user = Actor(self.project.folder, self.dice, "user")
        self.witness = Witness()
        self.moments = [self._moment()]
        self._before = self.moments[0]
        self.before_entry: dict[int, Moment] = {}
        self.done: list[str] = []
        self.conflicts = self.merged = 0

    async def run(self) -> list[str]:
        """Everything that was found wrong, up to the first act after which something was."""
        for _ in range(ACTS):
            (kind,) = self.dice.choices(list(CHANCES), list(CHANCES.values()))
            self.done.append(kind)
            if faults := await self._act(kind):
                return [f"{', '.join(self.done)}: {fault}" for fault in faults]
        return ["something was left unfinished"] if await self.project.finish() else []

    async def _act(self, kind: str) -> list[str]:
        before = self.project.files()
        if kind == "edit":
            name = self.agent.choose()
            self._saw(await self.project.tool(lambda _: self.agent.edit(name), name), before)
        elif kind == "command":
            self._saw(await self.project.shell(lambda _: self.agent.command()), before)
        elif kind == "user":
            self._meddle()
        elif kind == "turn":
            self.project.turn += 1
        else:
            return await self._back(kind)
        return []

    async def _back(self, kind: str) -> list[str]:
        force, kind = kind.endswith("force"), kind.split()[0]
        place = self.dice.choice(self.moments)
        entries = self._to_take_back(kind, place)
        if not entries:
            return []
        done = await self.project.back(entries, kind, force=force, meanwhile=self._meanwhile)
        before = self._before
        after = self.project.files()
        self._saw(done.entry, before.files)
        self.witness.forced = self.witness.time if force else self.witness.forced
        self.conflicts += len(done.conflicts)
        self.merged += len(done.merged)
        goal = (lambda _: place) if kind == "rewind" else self._goal(entries)
        faults = list(self.witness.faults(goal, before.files, after, done, force=force))
        if not faults and kind != "redo" and done.entry and self.dice.random() < 0.5:
            return await self._forth(before, force)
        return faults

    def _meanwhile(self) -> None:
        """The user acts between the plan and the writing, now and then."""
        if self.dice.random() < 0.2:
            self._meddle()
        self._before = self._moment()

    def _meddle(self) -> None:
        before = self.project.files()
        self.user.meddle()
        self.witness.see_user(before, self.project.files())

    def _goal(self, entries: Sequence[HistoryEntry]) -> Goal:
        """Each file goes back to where it was before the first of the entries that changed it."""
        goals = {
            change.path: self.before_entry[entry.number]
            for entry in reversed(entries)
            for change in entry.changes
        }
        return goals.get

    async def _forth(self, before: Moment, force: bool) -> list[str]:
        """Redo what was undone: every byte is as it was before."""
        undone = self.project.files()
        again = await self.project.redo()
        self._saw(again.entry, undone)
        self.witness.forced = self.witness.time if force else self.witness.forced
        same = self.project.files() == before.files
        return [] if same and not again.conflicts else [f"redo does not give back: {again}"]

    def _to_take_back(self, kind: str, place: Moment) -> Sequence[HistoryEntry]:
        entries = self.project.entries()
        if kind == "undo":
            return find_last_turn(entries)
        if kind == "redo":
            restore = find_last_restore(entries)
            return [restore] if restore else []
        return find_later_entries(entries, place.number)

    def _saw(self, entry: HistoryEntry | None, before: Tree) -> None:
        """The agent has acted or something was put back."""
        if entry:
            self.before_entry[entry.number] = Moment(self.witness.time, entry.number - 1, before)
        self.witness.see_agent(before, self.project.files())
        self.moments.append(self._moment())

    def _moment(self) -> Moment:
        return Moment(self.witness.time, self.project.now(), self.project.files())


def main() -> None:
    """Run the histories, say what was found, and fail when anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("histories", type=int)
    parser.add_argument("--seed", type=int, default=time.time_ns())
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="undo-"))
    print(f"seed {given.seed}, {folder}", flush=True)
    faults, tally = torture(given.histories, given.seed, folder)
    for fault in faults:
        print(fault)
    print(", ".join(f"{count} {name}" for name, count in tally.items()))
    print(f"{len(faults)} violations")
    sys.exit(bool(faults))


def torture(histories: int, seed: int, folder: Path) -> tuple[list[str], Counter[str]]:
    """What was found wrong, and how much was done."""
    faults: list[str] = []
    tally: Counter[str] = Counter()
    for number in range(histories):
        where = folder / f"history-{number}"
        history = History(where, Random(f"{seed} {number}"))
        found = asyncio.run(history.run())
        tally.update(history.done)
        tally.update(histories=1, merged=history.merged, conflicts=history.conflicts)
        faults += [f"{where}: {fault}" for fault in found]
        if not found:
            shutil.rmtree(where)
    for number in range(round(histories * KILLED)):
        where = folder / f"kill-{number}"
        kill = killed_restore if number % 4 < 3 else killed_snapshot
        how, found = kill(where, Random(f"{seed} kill {number}"))
        tally[how] += 1
        faults += [f"{where}: {fault}" for fault in found]
        if not found:
            shutil.rmtree(where)
    return faults, tally


if __name__ == "__main__":
    main()
