"""Evaluate the edit tools: hand-written cases, garbled edits of real sources, time; a verdict.

    python evals/edit_eval/edit_eval.py [--seed 7] [--edits 2000] [--process]
    python evals/edit_eval/edit_eval.py --show KIND [--seed 7] [--edits 100]

Exit code 1 when anything is below the bar (`bar.py`). The same seed makes the same requests from
the same sources, which are those of this machine. `--process` sends every request to a real
`mcode tools call --stdin` instead of a session in this process. `--show` looks at one kind, or at
all kinds of a group, and prints what did not end right.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from bar import case_marks, edit_marks, time_marks
from case_verdict import CaseVerdict, play
from generator import KINDS, generate
from growth import measured
from hand_cases import cases
from project import Door, InProcess, OwnProcess
from report import show_cases, show_edits, show_failures, show_marks, show_times, show_tools
from request import Kind
from request_forms import restated
from scoring import Outcome, run

EDITS = 2_000
SHOWN = 5


def play_cases(folder: Path, door: Callable[[Path], Door]) -> list[CaseVerdict]:
    """All hand-written cases, each in a project of its own."""
    return [play(case, folder / f"case-{number}", door) for number, case in enumerate(cases())]


def run_edits(
    kinds: Sequence[Kind], each: int, seed: int, folder: Path, door: Callable[[Path], Door]
) -> list[Outcome]:
    """So many generated requests of each kind, in each tool's form, through one door."""
    opened, outcomes = door(folder), list[Outcome]()
    try:
        for kind in kinds:
            for number in range(each):
                try:
                    request = generate(kind, seed, number)
                except LookupError as error:
                    print(error, file=sys.stderr)
                    break
                for form in (request, *restated(kind.name, number, request)):
                    outcomes.append(run(opened, kind, number, form))
                    shutil.rmtree(folder / f"{kind.name}-{number}")
    finally:
        opened.close()
    return outcomes


def _evaluate(seed: int, edits: int, door: Callable[[Path], Door], folder: Path) -> bool:
    verdicts = play_cases(folder, door)
    show_cases(verdicts)
    each = max(edits // len(KINDS), 1)
    outcomes = run_edits(list(KINDS.values()), each, seed, folder / "edits", door)
    show_edits([one for one in outcomes if not one.restated])
    show_tools(outcomes)
    growths = measured(folder / "growth", Random(seed))
    show_times(outcomes, growths)
    marks = [*case_marks(verdicts), *edit_marks(outcomes), *time_marks(growths)]
    show_marks(marks)
    return all(mark.met for mark in marks)


def _show(name: str, seed: int, edits: int, door: Callable[[Path], Door], folder: Path) -> bool:
    kinds = [kind for kind in KINDS.values() if name in (kind.name, kind.group)]
    if not kinds:
        sys.exit(f"there is no kind or group `{name}`; there are: {', '.join(KINDS)}")
    outcomes = run_edits(kinds, max(edits // len(kinds), 1), seed, folder / "edits", door)
    show_edits(outcomes)
    show_tools(outcomes)
    show_failures(outcomes, SHOWN)
    return all(one.fate != "WRONG" for one in outcomes)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--edits", type=int, help="how many to generate, of all kinds together")
    parser.add_argument("--process", action="store_true", help="drive `mcode tools call --stdin`")
    parser.add_argument("--show", metavar="KIND", help="print what fails of one kind or group")
    chosen = parser.parse_args()
    door: Callable[[Path], Door] = OwnProcess if chosen.process else InProcess
    load = os.getloadavg()[0]
    print(f"seed {chosen.seed}; load {load:.1f} on {os.cpu_count()} processors\n")
    with tempfile.TemporaryDirectory(prefix="edit-eval-") as folder:
        if chosen.show:
            good = _show(chosen.show, chosen.seed, chosen.edits or 100, door, Path(folder))
        else:
            good = _evaluate(chosen.seed, chosen.edits or EDITS, door, Path(folder))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
