"""The rules of a command's guard: which names it must not create or write in the project.

The supervisor applies them: `tools/process/creation_guard.py`.
"""

import base64
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..protected_paths import INSIDE, PROGRAM_FOLDERS, PROTECTED, find_protected_name
from .syscall_filter import build_guard_filter


def build_guard_rules(
    root: Path,
    places: Sequence[Path],
    *,
    writes_programs: bool = False,
    approved: Sequence[Path] = (),
) -> Mapping[str, Any]:
    """Build the rules for a command in the project `root`; `places` are single paths of its own.

    `writes_programs`: it may write `.venv/bin` and the other folders of installed programs;
    `approved`: single files that it may write.
    """
    program, calls = _build_program(os.uname().machine)
    names = INSIDE if writes_programs else INSIDE | PROGRAM_FOLDERS
    return {
        "root": str(root),
        "names": _NAMES,
        "inside": {name: part.pattern for name, part in names.items()},
        # other folders of `inside` that exist are mounted read-only
        "is_deep": not writes_programs and any((root / folder).exists() for folder in _FOLDERS),
        "places": [
            str(place)
            for place in places
            if place.parent != root or not find_protected_name(place.name)
        ],
        "approved": [str(file) for file in approved],
        "program": program,
        "calls": calls,
    }


_NAMES = sorted(PROTECTED)
_FOLDERS = (".venv/bin", ".venv/Scripts", "venv/bin", "venv/Scripts", "node_modules/.bin")


@cache
def _build_program(machine: str) -> tuple[str, dict[str, int]]:
    program, calls = build_guard_filter(machine)
    return base64.b64encode(program).decode(), calls
