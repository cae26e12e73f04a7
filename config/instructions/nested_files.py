"""Instruction files of subfolders, sent to the model when a file near them is shown."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..trust.decision import Trust
from ..trust.referenced_instructions import find_nested_start, is_third_party
from ..trust.resolved_imports import read_with_imports
from .discovery import (
    MAX_BYTES,
    NAMES,
    Instruction,
    as_instruction,
    build_listed_reader,
    count_bytes,
    fit_to_limit,
)


@dataclass(frozen=True)
class NestedInstructions:
    """Instruction files to send together."""

    instructions: tuple[Instruction, ...] = ()
    """The nearest last."""
    deferred: tuple[str, ...] = ()
    """Files that do not fit beside the others: they come next."""


def find_nested_files(folder: Path, trust: Trust, paths: Iterable[str]) -> list[str]:
    """Return the instruction files of the shown files' folders and parents; the nearest last."""
    places = set[str]()
    for above in {os.path.dirname(path) for path in paths} if trust.trusted else ():
        while above and above not in places:
            places.add(above)
            above = os.path.dirname(above)
    ordered = sorted(places, key=lambda place: (place.count("/"), place))
    firsts = (_find_first(folder, place, trust.further) for place in ordered)
    return [name for name in firsts if name]


def read_nested_instructions(
    folder: Path,
    trust: Trust,
    ignored: Sequence[str],
    *,
    files: Sequence[str],
    sent_before: Collection[str],
    passed_over: Collection[str],
) -> NestedInstructions:
    """Return these files and their imports, except those sent before, the nearest first.

    A file that does not fit whole waits, so that no file counts as sent without any text. Untrusted
    files are included without text, unless they were `passed_over` before.
    """
    read = build_listed_reader(folder, trust.further, (*ignored, ".git"))
    instructions, sent_names, size = list[Instruction](), {*sent_before}, 0
    waiting = [file for file in files if file not in sent_names]
    while waiting:
        every = [as_instruction(*file, folder) for file in read_with_imports(waiting[-1], read)]
        new = [instruction for instruction in every if instruction.name not in sent_names]
        due = [
            instruction
            for instruction in new
            if instruction.text
            or (instruction.folder_to_trust and instruction.name not in passed_over)
        ]
        added = sum(map(count_bytes, due))
        if size and size + added > MAX_BYTES:
            break
        size += added
        waiting.pop()
        sent_names |= {instruction.name for instruction in due}
        instructions = [*due, *instructions]
    return NestedInstructions(fit_to_limit(instructions), tuple(waiting))


def _find_first(folder: Path, place: str, listed_paths: Collection[str]) -> str:
    """Return the listed file; else a new one, which is reported as such."""
    mine = next((path for name in NAMES if (path := f"{place}/{name}") in listed_paths), "")
    return mine or (find_nested_start(folder, place) if _is_ours(folder, place) else "")


def _is_ours(folder: Path, place: str) -> bool:
    """Return whether an inventory lists the folder, so not a package, repository or hidden one."""
    names = place.split("/")
    within = (Path(folder, *names[:count]) for count in range(1, len(names) + 1))
    return not any(is_third_party(name) for name in names) and not any(
        os.path.islink(parent) or os.path.lexists(parent / ".git") for parent in within
    )
