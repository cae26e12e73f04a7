"""The project whose tests are found or run: its settings, its sandbox, its commands."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from ....config import paths
from ....config.errors import UsageError
from ....config.settings.loader import has_ignored_config, load_settings
from ....config.settings.schema import Settings
from ....config.text import text
from ....config.trust.decision import check_trust
from ....tools.sandbox.detect import open_sandbox
from ....tools.sandbox.sandbox import Sandbox
from ....tools.testing.command import FRAMEWORKS, TestCommand, select_commands
from ....tools.testing.detection import NONE_FOUND, SIGNS, detect_test_commands
from ....tools.workspace import Workspace
from ...execution.stop_signal import exit_on_termination


@dataclass(frozen=True)
class TestedProject:
    """A project, opened as a task opens it to run its tests."""

    __test__ = False  # else pytest would collect it
    folder: Path
    settings: Settings
    sandbox: Sandbox

    def detect(self) -> list[TestCommand]:
        """Detect all test commands, the configured one first."""
        return asyncio.run(self._detect())

    async def _detect(self) -> list[TestCommand]:
        configured = self.settings.task.test_command
        with exit_on_termination():
            return await detect_test_commands(self.folder, configured, self.sandbox)

    def select(self, framework: str = "") -> list[TestCommand]:
        """Return the commands to run: of one framework, or of the whole project."""
        if framework and framework not in FRAMEWORKS:
            names = ", ".join(f"`{name}`" for name in FRAMEWORKS)
            raise UsageError(
                text("`{name}` is not a test framework", name=framework),
                hint=text("choose one of {names}", names=names),
            )
        commands = self.detect()
        if not commands:
            raise UsageError(NONE_FOUND, hint=SIGNS)
        if not framework:
            return select_commands(commands)
        chosen = [command for command in commands if command.framework == framework]
        if not chosen:
            names = ", ".join(dict.fromkeys(f"`{command.framework}`" for command in commands))
            raise UsageError(
                text("the project has no tests of `{name}`", name=framework),
                hint=text("it has {names}", names=names),
            )
        return chosen


def require_tests(folder: Path, framework: str = "") -> None:
    """Raise UsageError if an untrusted folder has no tests: trust would lead to nothing.

    A configured command is known only once the folder is trusted. No program of the project runs.
    """
    trust = check_trust(folder, paths.locate_home())
    if trust.trusted or has_ignored_config(folder, paths.locate_home()):
        return
    open_project(folder).select(framework)


def open_project(folder: Path) -> TestedProject:
    """Open the project; raises UsageError for a folder that does not exist."""
    if not folder.is_dir():
        raise UsageError(
            text("`{folder}` is not a folder", folder=folder), hint="name the project's folder"
        )
    root, home = folder.resolve(), paths.locate_home()
    settings = load_settings(root, home).settings
    workspace = Workspace(root, tuple(settings.security.ignore_patterns), home)
    sandbox = open_sandbox(settings.sandbox, workspace, home)
    return TestedProject(root, settings, sandbox.with_variables(settings.environment))
