"""The command that runs the tests of one framework in one folder, and which ones test a change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from .file_names import find_language

Framework = Literal[
    "pytest", "unittest", "jest", "vitest", "mocha", "go", "cargo", "npm", "make", "configured"
]
FRAMEWORKS: tuple[Framework, ...] = get_args(Framework)
LANGUAGES: Mapping[Framework, str] = {
    "pytest": "Python",
    "unittest": "Python",
    "jest": "JavaScript",
    "vitest": "JavaScript",
    "mocha": "JavaScript",
    "npm": "JavaScript",
    "go": "Go",
    "cargo": "Rust",
}
"""The language of each framework that has one."""
BY_EXIT_CODE: frozenset[Framework] = frozenset(["npm", "make", "configured"])
"""Frameworks whose commands may run anything: their exit code alone says how the tests ended."""


@dataclass(frozen=True)
class TestCommand:
    """How to run the tests."""

    __test__: ClassVar[bool] = False  # else pytest would collect it
    argv: tuple[str, ...]
    shown: str
    """The command as shown to the user."""
    framework: Framework
    problem: str = ""
    """Why the command cannot run, and what to do; empty if it can."""
    folder: str = ""
    """Where it runs, relative to the project; empty: the project's folder."""
    found_by: str = ""
    """The file or setting that shows that the project has these tests."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that the command gets."""
    measured_by: str = ""
    """The program by which the command itself measures coverage: `c8`, `nyc`."""

    @property
    def language(self) -> str:
        """The language of the tests; empty if the command may run anything."""
        return LANGUAGES.get(self.framework, "")


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
