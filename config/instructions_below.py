"""Instruction files of the folders below a project's own: told when a file near them is shown."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .imported import with_imports
from .instructions import (
    MOST_BYTES,
    NAMES,
    Instruction,
    as_instruction,
    fitted,
    listed_only,
    size_of,
)
from .trust import Trust


@dataclass(frozen=True)
class Below:
    """What is told at once."""

    told: tuple[Instruction, ...] = ()
    """The nearest last."""
    left: tuple[str, ...] = ()
    """Files for which it has no room beside the others: they are told next."""


def files_below(trust: Trust, shown: Iterable[str]) -> list[str]:
    """Those of the folders in or under which the shown files are; the nearest last."""
    if not trust.trusted or not trust.further:
        return []
    places = set[str]()
    for folder in {os.path.dirname(path) for path in shown}:
        above = folder
        while above and above not in places:
            places.add(above)
            above = os.path.dirname(above)
    ordered = sorted(places, key=lambda place: (place.count("/"), place))
    firsts = (_first_in(place, trust.further) for place in ordered)
    return [name for name in firsts if name]


def instructions_below(
    folder: Path,
    trust: Trust,
    ignored: Sequence[str],
    *,
    files: Sequence[str],
    known: Collection[str],
) -> Below:
    """What these files say and bring in, except what was told before, the nearest first of all.

    What has no room whole waits, so that nothing counts as told of which nothing was.
    """
    read = listed_only(folder, trust.further, (*ignored, ".git"))
    told, taken, left = list[Instruction](), {*known}, MOST_BYTES
    waiting = [file for file in files if file not in taken]
    while waiting:
        texts = (pair for pair in with_imports(waiting[-1], read) if pair[0] not in taken)
        found = [one for path, text in texts if (one := as_instruction(path, text)).text]
        left -= sum(map(size_of, found))
        if told and left < 0:
            break
        waiting.pop()
        taken |= {one.name for one in found}
        told = [*found, *told]
    return Below(fitted(told), tuple(waiting))


def _first_in(place: str, listed: Collection[str]) -> str:
    return next((one for name in NAMES if (one := f"{place}/{name}") in listed), "")
