"""Which commands the project wants to be run after an edit of a file."""

import shlex
from collections.abc import Mapping, Sequence

from ..glob_pattern import name_matcher

Checks = Mapping[str, Sequence[str]]
"""For each pattern of a file's path the commands, in the configuration's order."""


def checks_for(checks: Checks, name: str) -> list[str]:
    """The commands for one file, by its path relative to the project, each of them once.

    Raises ToolRefusal for a pattern that cannot be met.
    """
    found = [
        command
        for pattern, commands in checks.items()
        if name_matcher(pattern)(name)
        for command in commands
    ]
    return list(dict.fromkeys(command.replace("{file}", _quoted(name)) for command in found))


def checks_for_all(checks: Checks, names: Sequence[str]) -> list[str]:
    """The commands for several files; one that names no file is run once for all."""
    return list(dict.fromkeys(one for name in names for one in checks_for(checks, name)))


def _quoted(name: str) -> str:
    """One word for the shell that no program takes for an option."""
    return shlex.quote(f"./{name}" if name.startswith("-") else name)
