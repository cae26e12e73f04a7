"""The script `test` of a package.json: which framework it runs, and how."""

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath

SCRIPT_FRAMEWORKS = ("jest", "vitest", "mocha")
_PLACEHOLDER = "no test specified"
_ASSIGNMENT = re.compile(r"\w+=.*")
# programs that start another program
_COVERAGE = {"c8", "nyc"}
_STARTERS = {"npx", "cross-env", "yarn", "pnpm", "node", *_COVERAGE}
_OPERATORS = re.compile(r"[;&|<>`]|\$\(")
_WATCH = re.compile(r"(?<!\S)--watch(?:All)?(?:=true)?(?!\S)")
_SHORT_WATCH = re.compile(r"(?<!\S)-w(?!\S)")
_DEFAULTS = {("vitest", "run"), ("vitest", "--run")}


@dataclass(frozen=True)
class PackageScript:
    """A script that is one command of a framework, or anything else."""

    framework: str
    """`jest`, `vitest`, `mocha`; empty: another program, or several."""
    is_bare: bool
    """Whether it is the framework without options of its own."""
    measured_by: str
    """`c8`, `nyc`: what measures the coverage of the framework's tests; empty: nothing does."""
    waits: bool
    """Whether its options make it wait for changes when the tests have ended."""


def parse_script(script: str) -> PackageScript | None:
    """Return what the script runs; None if it is no test."""
    if not script.strip() or _PLACEHOLDER in script:
        return None
    try:
        words = [] if _OPERATORS.search(script) else shlex.split(script)
    except ValueError:
        words = []
    bare = bool(words) and words[0] in SCRIPT_FRAMEWORKS
    rest = _drop_starters(words)
    name = _get_framework(rest[0]) if rest else ""
    before = words[: len(words) - len(rest)] if name else []
    measured_by = next((word for word in before if word in _COVERAGE), "")
    is_bare = bare and (len(rest) == 1 or tuple(rest) in _DEFAULTS)
    waits = bool(_WATCH.search(script)) or bool(name and _SHORT_WATCH.search(script))
    return PackageScript(name, is_bare, measured_by, waits)


def _drop_starters(words: list[str]) -> list[str]:
    """Leave out variables, and programs that start the next one, with their options."""
    rest = list(words)
    while rest:
        word = rest[0]
        is_option = word.startswith("-") and len(rest) < len(words)
        if not (_ASSIGNMENT.fullmatch(word) or word in _STARTERS or is_option):
            break
        rest.pop(0)
    return rest


def _get_framework(program: str) -> str:
    """Return the framework of a program: its name, or a file of its package."""
    path = PurePosixPath(program)
    if "/" in program and "node_modules" not in path.parts:
        return ""
    stem = path.name.partition(".")[0].removeprefix("_")
    return stem if stem in SCRIPT_FRAMEWORKS else ""
