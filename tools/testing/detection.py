"""Detection of a project's test commands: the configured one, and those of its frameworks."""

import asyncio
from pathlib import Path
from shlex import quote

from ...config.security.redaction import redact
from ..process.launcher import SHELL
from ..sandbox.sandbox import Sandbox
from .cargo import detect_cargo_tests
from .command import TestCommand
from .go import detect_go_tests
from .javascript import detect_javascript_tests
from .make import detect_make_tests
from .project_files import ProjectFiles, scan_project
from .python import detect_python_tests
from .selection import select_commands

SETTING = "task.test_command"


async def detect_test_commands(
    folder: Path, configured: str, sandbox: Sandbox | None = None
) -> list[TestCommand]:
    """Detect all commands: the configured one first, then one for each framework and package."""
    own = [build_configured_command(configured)] if configured.strip() else []
    files = await asyncio.to_thread(scan_project, folder)
    python = await detect_python_tests(files, sandbox)
    return [*own, *python, *await asyncio.to_thread(_detect_others, files)]


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
    return [
        *detect_javascript_tests(files),
        *detect_go_tests(files),
        *detect_cargo_tests(files),
        *detect_make_tests(files),
    ]
