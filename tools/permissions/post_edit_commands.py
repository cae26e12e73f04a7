"""Commands of `after_edit` for a changed file."""

import shlex
from collections.abc import Mapping, Sequence

from ..glob_pattern import compile_glob

# The commands for each pattern of a file's path, in the configuration's order
Checks = Mapping[str, Sequence[str]]


def find_checks(checks: Checks, name: str) -> list[str]:
    """Return the commands for one file, by its path relative to the project, without duplicates.

    Raises ToolError for a pattern that cannot match.
    """
    matching_commands = [
        command
        for pattern, commands in checks.items()
        if compile_glob(pattern)(name)
        for command in commands
    ]
    return list(
        dict.fromkeys(command.replace("{file}", _quote_word(name)) for command in matching_commands)
    )


def find_all_checks(checks: Checks, names: Sequence[str]) -> list[str]:
    """Return the commands for several files; one without a file name runs once for all."""
    return list(dict.fromkeys(command for name in names for command in find_checks(checks, name)))


def _quote_word(name: str) -> str:
    """Quote one word for the shell, so that no program reads it as an option."""
    return shlex.quote(f"./{name}" if name.startswith("-") else name)
