"""The command that runs the tests of one framework in one folder of a project."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

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
