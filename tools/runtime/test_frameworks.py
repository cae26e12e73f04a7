"""Detection of a project's test command: the configured one, or pytest and its Python."""

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar, Literal

from ...config.security.executables import find_program
from ...config.security.redaction import redact
from ..process.launcher import SHELL
from ..sandbox.execution import stream_inside
from ..sandbox.sandbox import Sandbox

# how many folders of a project are looked into for tests
MOST_FOLDERS = 500
_NOT_THE_PROJECT = frozenset(["node_modules", "venv", "env", "build", "dist", "site-packages"])
# files that configure pytest, and what must be in them
_CONFIGURED = {
    "pytest.ini": "",
    ".pytest.ini": "",
    "conftest.py": "",
    "pyproject.toml": "[tool.pytest",
    "setup.cfg": "[tool:pytest]",
    "tox.ini": "[pytest]",
}
_HAS_PYTEST = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)"


@dataclass(frozen=True)
class TestCommand:
    """How to run the tests."""

    __test__: ClassVar[bool] = False  # else pytest would collect it
    argv: tuple[str, ...]
    shown: str
    """The command as shown to the user."""
    framework: Literal["configured", "pytest"]
    """Only pytest can write a report with counts."""
    problem: str = ""
    """Why the command cannot run, and what to do; empty if it can."""


async def detect_test_command(
    folder: Path, configured: str, sandbox: Sandbox | None = None
) -> TestCommand | None:
    """Detect the project's test command; None if there is no sign of tests."""
    if configured.strip():
        return TestCommand((SHELL, "-c", configured), redact(configured), "configured")
    if not await asyncio.to_thread(is_pytest_project, folder):
        return None
    python, works = await find_python(folder, os.environ, sandbox)
    shown = f"{_shorten_path(python, folder)} -m pytest"
    problem = "" if works else f"pytest is not installed for `{python}`"
    return TestCommand((str(python), "-m", "pytest"), shown, "pytest", problem)


def is_pytest_project(folder: Path) -> bool:
    """Return whether pytest is configured, or there are files that it would collect."""
    if any(_contains_text(folder / name, words) for name, words in _CONFIGURED.items()):
        return True
    return any(is_test_file(name, parent) for parent, name in _iter_python_files(folder))


async def find_python(
    folder: Path, environ: Mapping[str, str], sandbox: Sandbox | None = None
) -> tuple[Path, bool]:
    """Find the project's own Python, or else the first with pytest; return whether it has pytest.

    After the project's own come `$VIRTUAL_ENV`, PATH and the Python that runs MaxAgent. A Python in
    the project may be any program: it is only inspected here and never run.
    """
    own, others = await asyncio.to_thread(_find_pythons, folder, environ)
    if own:
        return own, await asyncio.to_thread(_contains_pytest, own)
    for python in others:
        if await _has_pytest(python, folder, sandbox):
            return python, True
    return others[0], False


def _contains_pytest(python: Path) -> bool:
    """Return whether pytest is in a Python's environment, or may be in the system's."""
    above = python.parent.parent
    if any(above.glob("lib*/*/site-packages/pytest/__init__.py")):
        return True
    return _contains_text(above / "pyvenv.cfg", "include-system-site-packages = true")


def _is_in(folder: Path, python: Path) -> bool:
    """Return whether it lies in the folder, by its own name or through links."""
    root = Path(os.path.realpath(folder))
    places = (python, Path(os.path.realpath(python.parent)), Path(os.path.realpath(python)))
    return any(place.is_relative_to(root) for place in places)


async def _has_pytest(python: Path, folder: Path, sandbox: Sandbox | None) -> bool:
    """Return whether pytest is installed for a Python; one outside the project is run.

    The project's files may affect how it starts, hence the sandbox.
    """
    if await asyncio.to_thread(_is_in, folder, python):
        return await asyncio.to_thread(_contains_pytest, python)
    # run from the root, so that nothing in the project is taken for a module
    probe = await stream_inside(
        sandbox.as_read_only() if sandbox else None,
        [str(python), "-c", _HAS_PYTEST],
        cwd=Path("/"),
        timeout=20,
        on_output=lambda piece: None,
    )
    return probe.exit_code == 0


def _find_pythons(folder: Path, environ: Mapping[str, str]) -> tuple[Path | None, list[Path]]:
    """Return the project's own Python, if it has one, and the others in order."""
    own = (folder / name / "bin" / "python" for name in (".venv", "venv"))
    active = environ.get("VIRTUAL_ENV")
    found = [str(Path(active) / "bin" / "python")] if active else []
    found += [find_program(name, environ) or "" for name in ("python3", "python")]
    others = [Path(path) for path in [*found, sys.executable] if path and Path(path).exists()]
    return next(filter(Path.exists, own), None), others


def _contains_text(file: Path, words: str) -> bool:
    try:
        return file.is_file() and words in file.read_text(errors="replace")
    except OSError:
        return False


def _iter_python_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each Python file's folder and name, from a limited part of the project."""
    for parent, folders, files in islice(os.walk(folder), MOST_FOLDERS):
        folders[:] = [one for one in folders if one[0] != "." and one not in _NOT_THE_PROJECT]
        yield from ((Path(parent).name, file) for file in files if file.endswith(".py"))


def is_test_file(file: str, parent: str) -> bool:
    """Return whether a Python file in a folder of this name holds tests, as pytest finds them."""
    return file.startswith("test_") or file.endswith("_test.py") or parent in ("test", "tests")


def _shorten_path(python: Path, folder: Path) -> str:
    return str(python.relative_to(folder)) if python.is_relative_to(folder) else python.name
