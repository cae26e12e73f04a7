"""`mcode test run --watch`: the framework's own, or another run when files have changed."""

import asyncio
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ....config.exit_codes import DONE, FAILED
from ....tools.filesystem.walk import walk
from ....tools.process.launcher import ProcessExit, TimeLimit
from ....tools.result import ToolError
from ....tools.sandbox.execution import stream_inside
from ....tools.sandbox.sandbox import Sandbox
from ....tools.testing.command import TestCommand
from ....tools.testing.detection import format_command
from ....tools.workspace import Workspace
from ...execution.stop_signal import exit_on_termination
from ...i18n.catalogs import t
from ...rendering.output import echo
from .live_output import LiveLines

# seconds between two checks of the files, and without a change until the tests run again
POLL_SECONDS = 0.3
QUIET_SECONDS = 0.2
_WATCH_OPTIONS = {"jest": "--watch", "vitest": "--watch", "mocha": "--watch"}
Stamps = Mapping[str, tuple[int, int]]


def can_watch(command: TestCommand) -> bool:
    """Return whether the framework itself waits for changes."""
    return command.framework in _WATCH_OPTIONS and not command.problem


def watch_by_framework(
    command: TestCommand, arguments: Sequence[str], sandbox: Sandbox, folder: Path
) -> int:
    """Run the framework in watch mode, without a time limit; return the exit code."""
    _accept_interrupts()
    option = _WATCH_OPTIONS[command.framework]
    if command.framework == "jest" and not _is_in_repository(folder):
        option = "--watchAll"  # the other one asks git what has changed
    echo(t("test.running", command=f"{format_command(command)} {option}"), err=True)
    output = LiveLines()

    async def run_until_end() -> ProcessExit:
        with exit_on_termination():
            return await stream_inside(
                sandbox,
                [*command.argv, option, *arguments],
                cwd=folder / command.folder,
                timeout=TimeLimit(None),
                on_output=output.add,
                env={name: value for name, value in command.environment.items() if name != "CI"},
            )

    process_exit = asyncio.run(run_until_end())
    output.close()
    return FAILED if process_exit.exit_code else DONE


def _accept_interrupts() -> None:
    """Let SIGINT end this process also where a script has started it in the background with `&`.

    The shell has it ignored there, and nothing else would end the watch.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_in_repository(folder: Path) -> bool:
    return any((parent / ".git").exists() for parent in (folder, *folder.parents))


def repeat_on_changes(workspace: Workspace, run: Callable[[], int]) -> None:
    """Run, wait for changed files, and run again; only Ctrl-C ends it."""
    _accept_interrupts()
    while True:
        run()
        before = read_stamps(workspace)
        echo(t("test.waiting"), err=True)
        wait_for_change(workspace, before)


def wait_for_change(workspace: Workspace, before: Stamps) -> None:
    """Wait until a file that git does not ignore has changed, and changes have stopped."""
    while (stamps := read_stamps(workspace)) == before:
        time.sleep(POLL_SECONDS)
    while True:
        time.sleep(QUIET_SECONDS)
        if (later := read_stamps(workspace)) == stamps:
            return
        stamps = later


def read_stamps(workspace: Workspace) -> Stamps:
    """Return time and size of each file; incomplete if the project has too many files."""
    stamps: dict[str, tuple[int, int]] = {}
    try:
        for entry in walk(workspace, workspace.root, deep=True):
            if entry.kind == "file":
                try:
                    status = (workspace.root / entry.name).stat()
                except OSError:
                    continue
                stamps[entry.name] = (status.st_mtime_ns, status.st_size)
    except ToolError:
        return stamps
    return stamps
