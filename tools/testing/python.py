"""Tests of Python: pytest or unittest, and the Python that runs them."""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ...config.security.executables import find_program
from ...config.text import text
from ..sandbox.execution import stream_inside
from ..sandbox.sandbox import Sandbox
from .command import TestCommand
from .file_names import is_test_file
from .project_files import ProjectFiles, join

# files that configure pytest, and what must be in them
_CONFIGURED = {
    "pytest.ini": "",
    ".pytest.ini": "",
    "conftest.py": "",
    "pyproject.toml": "[tool.pytest",
    "setup.cfg": "[tool:pytest]",
    "tox.ini": "[pytest]",
}
# the folder of a project's packages that is not a package itself
SOURCE_FOLDER = "src"
# files of a Python environment that name the folders of packages elsewhere
POINTERS = ("*.pth", "*.egg-link", "__editable__*")
# folders of packages in an environment; the second in that of pyenv's shims
_PACKAGES = ("lib*/python*/*-packages", "versions/*/lib/python*/site-packages")
_SETS_PATH = re.compile(r"^\s*(?:pythonpath|python_paths)\s*=|\bsys\.path\b", re.MULTILINE)
_HAS_PYTEST = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)"
_IMPORTS_PYTEST = re.compile(r"^\s*(?:import|from)\s+pytest\b", re.MULTILINE)
_HAS_TEST_CASE = re.compile(r"^class\s+\w+\(.*TestCase\b.*\)\s*:", re.MULTILINE)
_HAS_TEST_FUNCTION = re.compile(r"^(?:async\s+)?def\s+test", re.MULTILINE)


async def detect_python_tests(
    files: ProjectFiles, sandbox: Sandbox | None = None
) -> list[TestCommand]:
    """Detect pytest, or unittest where pytest is neither configured nor installed."""
    tests = [path for path in files.iter_paths(".py") if is_test_file(path)]
    found_by = await asyncio.to_thread(find_pytest_configuration, files)
    if not found_by and not tests:
        return []
    cases = [] if found_by else await asyncio.to_thread(find_test_cases, files, tests)
    if cases:
        python, has_pytest = await _inspect_first_python(files.root, sandbox)
        if not has_pytest:
            command = _build_unittest_command(files, cases, python)
            return [await asyncio.to_thread(_add_source_folder, command, files, cases)]
    python, has_pytest = await find_python(files.root, os.environ, sandbox)
    problem = "" if has_pytest else text("pytest is not installed for `{python}`", python=python)
    display = f"{_shorten_path(python, files.root)} -m pytest"
    argv = (str(python), "-m", "pytest")
    command = TestCommand(argv, display, "pytest", problem, found_by=found_by or tests[0])
    return [await asyncio.to_thread(_add_source_folder, command, files, tests)]


def _add_source_folder(command: TestCommand, files: ProjectFiles, tests: list[str]) -> TestCommand:
    """Let the tests import the packages in `src/` that nothing else makes importable.

    A relative path is right in a copy of the project, too, where the tests run on earlier files.
    """
    packages = _find_source_packages(files)
    if not packages or _configures_path(files):
        return command
    imports = re.compile(rf"^\s*(?:import|from)\s+(?:{'|'.join(packages)})\b", re.MULTILINE)
    if not any(imports.search(files.read_text(path)) for path in tests):
        return command
    if _has_installed(Path(command.argv[0]), packages, files.root):
        return command
    path = os.pathsep.join(filter(None, [SOURCE_FOLDER, os.environ.get("PYTHONPATH")]))
    command_line = f"PYTHONPATH={SOURCE_FOLDER} {command.shown}"
    return replace(
        command, shown=command_line, environment={**command.environment, "PYTHONPATH": path}
    )


def _find_source_packages(files: ProjectFiles) -> list[str]:
    """Return the names of the packages and modules in `src/`; none if `src` is a package itself."""
    names = files.folders.get(SOURCE_FOLDER, frozenset())
    if "__init__.py" in names:
        return []
    folders = [folder.split("/") for folder in files.folders if files.has(f"{folder}/__init__.py")]
    packages = {parts[1] for parts in folders if parts[0] == SOURCE_FOLDER and len(parts) > 1}
    modules = {name.removesuffix(".py") for name in names if name.endswith(".py")}
    return sorted(name for name in packages | modules if name.isidentifier())


def _configures_path(files: ProjectFiles) -> bool:
    """Return whether a file that configures pytest says from where it imports."""
    uppermost = files.folders.get("", frozenset())
    return any(_SETS_PATH.search(files.read_text(name)) for name in _CONFIGURED.keys() & uppermost)


def _has_installed(python: Path, packages: list[str], root: Path) -> bool:
    """Return whether a Python's environment has one of the packages, or points to the project."""
    starts = {python.parent.parent, Path(os.path.realpath(python)).parent.parent}
    folders = [folder for start in starts for below in _PACKAGES for folder in start.glob(below)]
    folders += Path.home().glob(".local/lib/python*/site-packages")
    file_names = [name for package in packages for name in (package, f"{package}.py")]
    if any((folder / name).exists() for folder in folders for name in file_names):
        return True
    pointers = [file for folder in folders for name in POINTERS for file in folder.glob(name)]
    return any(_contains_text(file, str(root)) for file in pointers)


def find_pytest_configuration(files: ProjectFiles) -> str:
    """Return the name of the file that configures pytest; empty if there is none."""
    uppermost = files.folders.get("", frozenset())
    names = (name for name in _CONFIGURED if name in uppermost)
    return next((name for name in names if _CONFIGURED[name] in files.read_text(name)), "")


def find_test_cases(files: ProjectFiles, tests: list[str]) -> list[str]:
    """Return the files with test cases of unittest; empty if some tests need pytest."""
    cases: list[str] = []
    for path in tests:
        source = files.read_text(path)
        is_case = bool(_HAS_TEST_CASE.search(source))
        if _IMPORTS_PYTEST.search(source) or PurePosixPath(path).name == "conftest.py":
            return []
        if _HAS_TEST_FUNCTION.search(source) and not is_case:
            return []
        cases += [path] if is_case else []
    return cases


def _build_unittest_command(files: ProjectFiles, cases: list[str], python: Path) -> TestCommand:
    options: list[str] = []
    folders = {path.rpartition("/")[0] for path in cases}
    if not all(_is_importable(files, folder) for folder in folders):
        start = os.path.commonpath([folder or "." for folder in folders])
        options += ["-s", start] if start else []
    if not any(PurePosixPath(path).name.startswith("test") for path in cases):
        options += ["-p", "*_test.py"]
    arguments = ("-m", "unittest", "discover", *options)
    display = " ".join((_shorten_path(python, files.root), *arguments))
    return TestCommand((str(python), *arguments), display, "unittest", found_by=cases[0])


def _is_importable(files: ProjectFiles, folder: str) -> bool:
    """Return whether a discovery that starts at the project's folder includes this folder."""
    parts = folder.split("/") if folder else []
    parents = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    return all(files.has(join(parent, "__init__.py")) for parent in parents)


async def _inspect_first_python(folder: Path, sandbox: Sandbox | None) -> tuple[Path, bool]:
    """Return the Python that the project's user would run, and whether it has pytest."""
    own, others = await asyncio.to_thread(_find_pythons, folder, os.environ)
    if own:
        return own, await asyncio.to_thread(_contains_pytest, own)
    return others[0], await _has_pytest(others[0], folder, sandbox)


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


def _surely_contains_pytest(python: Path) -> bool:
    """Return whether its environment has one Python only, and that has pytest; a start costs more.

    Not so in a system's own folder, where several versions and distributions meet.
    """
    above = python.parent.parent
    if not (above / "pyvenv.cfg").is_file():
        above = Path(os.path.realpath(python)).parent.parent
    versions = {os.path.realpath(library) for library in above.glob("lib*/python*")}
    return len(versions) == 1 and Path(*versions, "site-packages/pytest/__init__.py").is_file()


def _is_in(folder: Path, python: Path) -> bool:
    """Return whether the Python is in the folder, by its path or through links."""
    root = Path(os.path.realpath(folder))
    places = (python, Path(os.path.realpath(python.parent)), Path(os.path.realpath(python)))
    return any(place.is_relative_to(root) for place in places)


async def _has_pytest(python: Path, folder: Path, sandbox: Sandbox | None) -> bool:
    """Return whether pytest is installed for a Python; one outside the project is run.

    The project's files may affect how it starts, hence the sandbox.
    """
    if await asyncio.to_thread(_is_in, folder, python):
        return await asyncio.to_thread(_contains_pytest, python)
    if await asyncio.to_thread(_surely_contains_pytest, python):
        return True
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
    candidates = [str(Path(active) / "bin" / "python")] if active else []
    candidates += [find_program(name, environ) or "" for name in ("python3", "python")]
    others = [Path(path) for path in [*candidates, sys.executable] if path and Path(path).exists()]
    return next(filter(Path.exists, own), None), others


def _contains_text(file: Path, words: str) -> bool:
    try:
        return file.is_file() and words in file.read_text(errors="replace")
    except OSError:
        return False


def _shorten_path(python: Path, folder: Path) -> str:
    return str(python.relative_to(folder)) if python.is_relative_to(folder) else python.name
