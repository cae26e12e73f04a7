"""The commands that test a change: all, unless its files show which ones."""

from collections.abc import Iterable, Sequence

from .command import TestCommand
from .file_names import find_language


def select_commands(
    commands: Sequence[TestCommand], changed: Iterable[str] = ()
) -> list[TestCommand]:
    """Select the configured command, or those whose files changed, or all where that is unclear.

    A target of make often only starts the other frameworks, so it counts where it is the only one.
    """
    configured = [command for command in commands if command.framework == "configured"]
    frameworks = [command for command in commands if command.framework != "make"]
    candidates = configured or frameworks or list(commands)
    if len(candidates) < 2:
        return candidates
    touched = [_find_touched(candidates, path) for path in changed]
    if not touched or not all(touched):
        return candidates
    chosen = {id(command) for commands in touched for command in commands}
    return [command for command in candidates if id(command) in chosen]


def _find_touched(commands: Sequence[TestCommand], path: str) -> list[TestCommand]:
    """Return the commands that test this file; none if that is unclear."""
    language = find_language(path)
    return [
        command
        for command in commands
        if language == command.language
        and language
        and (not command.folder or path.startswith(f"{command.folder}/"))
    ]
