"""Detection of a project's test commands: the configured one, and those of its frameworks.

A new framework takes:

- its name in `tools/testing/command.py`, a module that detects it, in the list of
  `tools/testing/detection.py`; its report in `tools/testing/execution.py`
- a project in `tests/fixtures/cart_projects.py`
- `docs/testing.md`
"""

import asyncio
from pathlib import Path
from shlex import quote

from ...config.security.redaction import redact
from ..process.launcher import SHELL
from ..sandbox.sandbox import Sandbox
from .command import TestCommand, select_commands
from .project_files import MAKEFILES, ProjectFiles, list_project_files
from .python import detect_python_tests

SETTING = "task.test_command"
NONE_FOUND = "no tests were found"
SIGNS = (
    "add one of these: a test file of Python, `pytest.ini`, a script `test` in `package.json`, "
    "`go.mod` with a `*_test.go`, `Cargo.toml`, a target `test` in the Makefile, or "
    "`task.test_command`"
)


async def detect_test_commands(
    folder: Path, configured: str, sandbox: Sandbox | None = None
) -> list[TestCommand]:
    """Detect all commands: the configured one first, then one for each framework and package."""
    configured_commands = [build_configured_command(configured)] if configured.strip() else []
    files = await asyncio.to_thread(list_project_files, folder)
    python = await detect_python_tests(files, sandbox)
    return [*configured_commands, *python, *await asyncio.to_thread(_detect_others, files)]


async def detect_active_commands(
    folder: Path, configured: str, sandbox: Sandbox | None = None
) -> list[TestCommand]:
    """Detect the commands that test the whole project: the configured one, or all others."""
    if configured.strip():
        return [build_configured_command(configured)]
    return select_commands(await detect_test_commands(folder, "", sandbox))


def format_command(command: TestCommand) -> str:
    """Return the command as a user would type it in the project's folder."""
    return f"cd {quote(command.folder)} && {command.shown}" if command.folder else command.shown


def build_configured_command(configured: str) -> TestCommand:
    """Return the command of the setting, which a shell runs."""
    argv = (SHELL, "-c", configured)
    return TestCommand(argv, redact(configured), "configured", found_by=SETTING)


def _detect_others(files: ProjectFiles) -> list[TestCommand]:
    """Detect the other languages; a module is imported only for a project that has its files."""
    commands: list[TestCommand] = []
    if files.find_packages("package.json"):
        from .javascript import detect_javascript_tests

        commands += detect_javascript_tests(files)
    if files.find_packages("go.mod"):
        from .build_tools import detect_go_tests

        commands += detect_go_tests(files)
    if files.find_packages("Cargo.toml"):
        from .build_tools import detect_cargo_tests

        commands += detect_cargo_tests(files)
    if any(files.has(name) for name in MAKEFILES):
        from .build_tools import detect_make_tests

        commands += detect_make_tests(files)
    return commands
