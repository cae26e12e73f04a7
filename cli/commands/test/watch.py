"""`mcode test run --watch`: the framework's own, or another run when files have changed."""

import asyncio
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ....config.exit_codes import DONE, FAILED
from ....tools.filesystem.walk import walk
from ....tools.process.launcher import TimeLimit
from ....tools.result import ToolError
from ....tools.sandbox.execution import stream_inside
from ....tools.sandbox.sandbox import Sandbox
from ....tools.testing.command import TestCommand
from ....tools.testing.detection import format_command
from ....tools.workspace import Workspace
from ...i18n.catalogs import t
from ...rendering.output import echo
from .live_output import LiveLines

# seconds between two looks at the files, and until a change counts as complete
EVERY = 0.3
QUIET = 0.2
_OWN = {"jest": "--watch", "vitest": "--watch", "mocha": "--watch"}
Stamps = Mapping[str, tuple[int, int]]


def can_watch(command: TestCommand) -> bool:
    """Return whether the framework itself waits for changes."""
    return command.framework in _OWN and not command.problem


def watch_by_framework(
    command: TestCommand, arguments: Sequence[str], sandbox: Sandbox, folder: Path
) -> int:
    """Let the framework watch until it ends, without a time limit; return the exit code."""
    _accept_interrupts()
    option = _OWN[command.framework]
    if command.framework == "jest" and not _is_in_repository(folder):
        option = "--watchAll"  # the other one asks git what has changed
    echo(t("test.running", command=f"{format_command(command)} {option}"), err=True)
    output = LiveLines()
    ended = asyncio.run(
        stream_inside(
            sandbox,
            [*command.argv, option, *arguments],
            cwd=folder / command.folder,
            timeout=TimeLimit(None),
            on_output=output.add,
            env={name: value for name, value in command.environment.items() if name != "CI"},
        )
    )
    output.close()
    return FAILED if ended.exit_code else DONE


def _accept_interrupts() -> None:
    """Let SIGINT end this process also where a script has started it in the background with `&`.

    The shell has it ignored there, and nothing else would end the watch.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_in_repository(folder: Path) -> bool:
    return any((above / ".git").exists() for above in (folder, *folder.parents))


def repeat_on_changes(workspace: Workspace, run: Callable[[], int]) -> None:
    """Run, wait for changed files, and run again; only Ctrl-C ends it."""
    _accept_interrupts()
    while True:
        run()
        before = read_stamps(workspace)
        echo(t("test.waiting"), err=True)
        wait_for_change(workspace, before)


def wait_for_change(workspace: Workspace, before: Stamps) -> None:
    """Wait until a file that git does not ignore has changed, and nothing changes any more."""
    while (now := read_stamps(workspace)) == before:
        time.sleep(EVERY)
    while True:
        time.sleep(QUIET)
        if (later := read_stamps(workspace)) == now:
            return
        now = later


def read_stamps(workspace: Workspace) -> Stamps:
    """Return size and time of each file; of a project with too many files none."""
    stamps: dict[str, tuple[int, int]] = {}
    try:
        for entry in walk(workspace, workspace.root, deep=True):
            if entry.kind == "file":
                try:
                    found = (workspace.root / entry.name).stat()
                except OSError:
                    continue
                stamps[entry.name] = (found.st_mtime_ns, found.st_size)
    except ToolError:
        return stamps
    return stamps
