"""How the time of an edit grows with the file: eight jobs, 200 to 50,000 lines."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from patches import unified
from project import Answer, InProcess, write
from true_edit import WORDS

SIZES = (200, 1_000, 5_000, 10_000, 20_000, 50_000)
FITTED_FROM = 5_000
"""Below it, what every call costs hides the growth."""
REPEATS = 3
PATH = "a.py"

Call = tuple[str, Mapping[str, Any]]
Job = Callable[[list[str], Random], tuple[Sequence[str], Call]]
"""The file's lines, perhaps others, and the call."""


@dataclass(frozen=True)
class Growth:
    """The times of one job."""

    job: str
    seconds: Mapping[int, Sequence[float]]
    """Of each call, by the file's lines."""
    cpu: Mapping[int, Sequence[float]]

    @property
    def exponent(self) -> float:
        """Of the processor time, from 5,000 lines on: 1 is linear."""
        return exponent({size: median(of) for size, of in self.cpu.items() if size >= FITTED_FROM})


def measured(folder: Path, dice: Random, sizes: Sequence[int] = SIZES) -> list[Growth]:
    """Every job at every size; the file is new each time."""
    found = list[Growth]()
    for name, job in JOBS.items():
        answers = {size: [_run(folder, job, size, dice) for _ in range(REPEATS)] for size in sizes}
        found.append(
            Growth(
                name,
                {size: [one.seconds for one in of] for size, of in answers.items()},
                {size: [one.cpu for one in of] for size, of in answers.items()},
            )
        )
    return found


def exponent(times: Mapping[int, float]) -> float:
    """The slope of the logarithms, by least squares."""
    points = [(math.log(size), math.log(max(time, 1e-6))) for size, time in times.items()]
    x, y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    above = sum((a - x) * (b - y) for a, b in points)
    return above / sum((a - x) ** 2 for a, _ in points)


def quantile(times: Sequence[float], share: float) -> float:
    """The time that so large a share of all does not exceed."""
    return sorted(times)[min(math.ceil(share * len(times)), len(times)) - 1]


def _run(folder: Path, job: Job, size: int, dice: Random) -> Answer:
    lines, (tool, args) = job(_lines(size, dice), dice)
    door = InProcess(folder)
    try:
        write(folder, {PATH: "".join(f"{line}\n" for line in lines).encode()})
        door.call("read_file", {"path": PATH})
        return door.call(tool, args)
    finally:
        door.close()


def _lines(size: int, dice: Random) -> list[str]:
    """Like code: most lines once, some often, at several depths."""
    often = ["        return result", "    else:", "", "        result = None", "    }"]
    lines = list[str]()
    for number in range(size):
        depth = "    " * dice.randint(1, 3)
        word, other = dice.sample(WORDS, 2)
        once = f"{depth}{word}_{number} = {other}(value_{number}, {dice.randint(0, 999)})"
        lines.append(dice.choice(often) if dice.random() < 0.3 else once)
    return lines


def _block(lines: Sequence[str], dice: Random, size: int = 12) -> list[str]:
    """Lines from the middle, the first and the last of which stand there once."""
    while True:
        start = dice.randint(len(lines) // 3, 2 * len(lines) // 3)
        block = list(lines[start : start + size])
        if all("value_" in line for line in (block[0], *block[2:6], block[-1])):
            return block


def _edit(old: str, new: str, **args: Any) -> Call:
    return "edit", {"file_path": PATH, "old_string": old, "new_string": new, **args}


def _changed(block: Sequence[str]) -> list[str]:
    return [*block[:5], "    added = here(1)", *block[5:]]


def _exact(lines: list[str], dice: Random) -> tuple[Sequence[str], Call]:
    block = _block(lines, dice)
    return lines, _edit("\n".join(block), "\n".join(_changed(block)))


def _absent(lines: list[str], dice: Random) -> tuple[Sequence[str], Call]:
    """A hundred and fifty lines like the file's, some of them common, most not in it."""
    old = [line.replace("value_", "amount_") for line in _lines(150, dice)]
    return lines, _edit("\n".join(old), "\n".join(old[:-1]))


def _blanks(lines: list[str], dice: Random) -> tuple[Sequence[str], Call]:
    block = _block(lines, dice)
    old, new = ([f"  {line}  " for line in one] for one in (block, _changed(block)))
    return lines, _edit("\n".join(old), "\n".join(new))


def _escaped(lines: list[str], dice: Random) -> tuple[Sequence[str], Call]:
    block = _block(lines, dice)
    old, new = (json.dumps("\n".join(one))[1:-1] for one in (block, _changed(block)))
    return lines, _edit(old, new)


def _like(lines: list[str], dice: Random) -> tuple[Sequence[str], Call]:
    block = _block(lines, dice)
    spoilt = [*block[:3], block[3].replace("value_", "valeu_"), *block[4:]]
    new = [*spoilt[:-1], "    added = here(1)", spoilt[-1]]
    return lines, _edit("\n".join(spoilt), "\n".join(new))


def _many(lines: list[str], dice: Random) -> tuple[Sequence[str], Call]:
    """Two lines that stand together at a tenth of all places, with blanks at their ends."""
    pairs = [line for line in lines[::5] for line in (line, "    else:", "        go()", "", line)]
    old = "    else:  \n        go()  "
    return pairs[: len(lines)], _edit(old, old.replace("go", "stop"))


def _long_line(lines: list[str], dice: Random) -> tuple[Sequence[str], Call]:
    """All of the file is one line; the piece in the request is a little wrong."""
    piece = " ".join(_block(lines, dice, 6)).replace("value_", "valeu_")
    return [" ".join(lines)], _edit(piece, piece + " added")


def _patch(lines: list[str], dice: Random) -> tuple[Sequence[str], Call]:
    """The line number is wrong."""
    block = _block(lines, dice)
    body = [*(f" {line}" for line in block[:5]), f"-{block[5]}", "+    added = here(1)"]
    body += [f" {line}" for line in block[6:]]
    return lines, ("apply_patch", {"patch": unified(PATH, [(body, "@@ -1,12 +1,12 @@")])})


JOBS: dict[str, Job] = {
    "exact hit": _exact,
    "150 lines absent": _absent,
    "blanks garbled": _blanks,
    "escaped": _escaped,
    "a slip of memory": _like,
    "ambiguous, many places": _many,
    "one very long line": _long_line,
    "a patch": _patch,
}
