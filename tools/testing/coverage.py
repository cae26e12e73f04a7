"""Coverage: the tool that measures it while the tests run, and the percentage that it reports."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...config.security.executables import find_program
from ...config.text import text
from ..process.launcher import SHELL
from .command import TestCommand

_RUN_AND_REPORT = (
    'python=$1; shift; "$python" -m coverage run -m "$@"; code=$?; "$python" -m coverage report; '
    "exit $code"
)
_NPM_INSTALL, _PIP_INSTALL = "npm install --save-dev", "{} -m pip install"
_TOTAL = re.compile(r"^TOTAL\s.*?(\d+(?:\.\d+)?)%", re.MULTILINE)
_ALL_FILES = re.compile(r"^\s*All files\s*\|\s*(\d+(?:\.\d+)?)", re.MULTILINE)
_LLVM_TOTAL = re.compile(r"^TOTAL\s+(.+)$", re.MULTILINE)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")
_GO_BLOCK = re.compile(r"^\S+ (\d{1,9}) (\d{1,9})$", re.MULTILINE)
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
GO_PROFILE = "coverage.out"


@dataclass(frozen=True)
class CoverageTool:
    """Wraps a test command so that it measures coverage."""

    wrap: Callable[[Sequence[str], Path], list[str]]
    """Return the command line for these arguments; the folder is for its files."""
    read_percent: Callable[[str, Path], float | None]
    """Return the percent from the output and the folder."""


def find_coverage_tool(command: TestCommand, root: Path) -> CoverageTool | str:
    """Return the tool for this command, or a message: why there is none and what to do."""
    match command.framework:
        case "pytest" | "unittest":
            return _find_python_tool(command)
        case "jest":
            return CoverageTool(_wrap_jest, _read_all_files)
        case "vitest":
            packages = ("@vitest/coverage-v8", "@vitest/coverage-istanbul")
            if any(_find_in_modules(name, command, root) for name in packages):
                return CoverageTool(_wrap_vitest, _read_all_files)
            return _describe_missing(packages[0], _NPM_INSTALL, packages[0])
        case "mocha":
            # one inside the other would measure what it has changed
            names = (command.measured_by,) if command.measured_by else ("c8", "nyc")
            programs = (_find_in_modules(f".bin/{name}", command, root) for name in names)
            program = next(filter(None, programs), None)
            if program is None:
                return _describe_missing("c8", _NPM_INSTALL, "c8")
            return CoverageTool(_prefix(program), _read_all_files)
        case "go":
            return CoverageTool(_wrap_go, _read_go_profile)
        case "cargo":
            if find_program("cargo-llvm-cov", outside=(root,)):
                return CoverageTool(_wrap_cargo, _read_llvm)
            return _describe_missing("cargo-llvm-cov", "cargo install", "cargo-llvm-cov")
        case _:
            return text("the coverage of `{command}` cannot be measured", command=command.shown)


def _find_python_tool(command: TestCommand) -> CoverageTool | str:
    environment = Path(command.argv[0]).parent.parent

    def has(package: str) -> bool:
        places = ("site-packages", "dist-packages")
        return any(
            any(environment.glob(f"lib*/*/{place}/{package}/__init__.py"))
            or any(environment.glob(f"lib/python3/{place}/{package}/__init__.py"))
            for place in places
        )

    if command.framework == "pytest" and has("pytest_cov"):
        return CoverageTool(lambda argv, folder: [*argv, "--cov"], _read_total)
    if has("coverage"):
        return CoverageTool(_wrap_coverage, _read_total)
    return _describe_missing("coverage", _PIP_INSTALL.format(command.argv[0]), "coverage")


def _find_in_modules(name: str, command: TestCommand, root: Path) -> Path | None:
    """Return a file of the nearest `node_modules`."""
    folder = root / command.folder
    parents = [folder, *folder.parents]
    candidates = (
        parent / "node_modules" / name for parent in parents if parent.is_relative_to(root)
    )
    return next((candidate for candidate in candidates if candidate.exists()), None)


def _describe_missing(name: str, command: str, package: str) -> str:
    how = text("run `{command}`", command=f"{command} {package}")
    return text("`{program}` is not installed; {how}", program=name, how=how)


def _prefix(program: Path) -> Callable[[Sequence[str], Path], list[str]]:
    option = "--temp-directory" if program.name == "c8" else "--temp-dir"

    def wrap(argv: Sequence[str], folder: Path) -> list[str]:
        # both delete the folder first
        return [str(program), "--reporter=text", f"{option}={folder / 'raw'}", *argv]

    return wrap


def _wrap_coverage(argv: Sequence[str], folder: Path) -> list[str]:
    python, _, *rest = argv  # `-m` comes after the program
    return [SHELL, "-c", _RUN_AND_REPORT, "sh", python, *rest]


def _wrap_jest(argv: Sequence[str], folder: Path) -> list[str]:
    return [*argv, "--coverage", "--coverageReporters=text", f"--coverageDirectory={folder}"]


def _wrap_vitest(argv: Sequence[str], folder: Path) -> list[str]:
    return [
        *argv,
        "--coverage.enabled",
        "--coverage.reporter=text",
        "--coverage.reportOnFailure",
        f"--coverage.reportsDirectory={folder / 'coverage'}",
    ]


def _wrap_go(argv: Sequence[str], folder: Path) -> list[str]:
    return [*argv, f"-coverprofile={folder / GO_PROFILE}"]


def _wrap_cargo(argv: Sequence[str], folder: Path) -> list[str]:
    return [argv[0], "llvm-cov", *argv[2:]]


def _read_total(output: str, folder: Path) -> float | None:
    return _read_last(_TOTAL, output)


def _read_all_files(output: str, folder: Path) -> float | None:
    return _read_last(_ALL_FILES, _ESCAPES.sub("", output))


def _read_llvm(output: str, folder: Path) -> float | None:
    """Return the percent of lines: the third after regions and functions."""
    match = _LLVM_TOTAL.search(output)
    percents = _PERCENT.findall(match[1]) if match else []
    return float(percents[2]) if len(percents) > 2 else None


def _read_go_profile(output: str, folder: Path) -> float | None:
    """Return the percent of statements, of all packages together."""
    try:
        profile = (folder / GO_PROFILE).read_text(errors="replace")
    except OSError:
        return None
    blocks = [(int(count), int(runs)) for count, runs in _GO_BLOCK.findall(profile)]
    total = sum(count for count, _ in blocks)
    return round(100 * sum(count for count, runs in blocks if runs) / total, 1) if total else None


def _read_last(pattern: re.Pattern[str], output: str) -> float | None:
    matches = pattern.findall(output)
    return float(matches[-1]) if matches else None
