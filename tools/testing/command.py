"""The command that runs the tests of one framework in one folder, and which ones test a change."""

import re
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


_RUNS_TESTS = re.compile(
    r"(?:(?:[\w./-]*/)?(?:python[\d.]* -m )?(?:pytest|unittest|tox|nox|jest|vitest|mocha|ctest)"
    r"|(?:npm|yarn|pnpm|go|cargo|make|npx|uv run|npm run) (?:test|pytest|jest|vitest|mocha))"
    r"(?![\w.])"
)
# what else a line of tests may have: a folder, variables, the end of the output
_BESIDE_TESTS = re.compile(r"(?:cd|tail|head|grep|timeout|env|set|export) .*|\w+=\S*")


def only_tests(command_line: str) -> bool:
    """Return whether a command line only runs tests, as far as its programs' names say."""
    steps = [step.strip() for step in re.split(r"&&|\|\||[;|\n]", command_line) if step.strip()]
    steps = [re.sub(r"^(?:\w+=\S* +|timeout \S+ +|env +)+", "", step) for step in steps]
    tests = [step for step in steps if _RUNS_TESTS.match(step)]
    return bool(tests) and all(step in tests or _BESIDE_TESTS.fullmatch(step) for step in steps)


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
