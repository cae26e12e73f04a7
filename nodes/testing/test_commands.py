"""The commands that test a task's change, and their runs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from langgraph.runtime import Runtime

from ...memory.undo.change_chains import compute_net_changes
from ...tools.testing.command import TestCommand, select_commands
from ...tools.testing.detection import (
    build_configured_command,
    detect_test_commands,
    format_command,
)
from ...tools.testing.execution import run_tests
from ...tools.testing.run import TestRun
from ..events.progress import RunPurpose, Verifying
from ..events.tool import ToolOutput
from ..review import list_job_entries
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..state import State


async def find_commands(
    state: State, runtime: Runtime[Context], deps: Dependencies
) -> list[TestCommand]:
    """Return the commands for this job's changes; none in an untrusted folder."""
    if not deps.trust.trusted:
        return []
    if configured := deps.settings.task.test_command.strip():
        return [build_configured_command(configured)]
    commands = await detect_test_commands(Path(state["folder"]), "", deps.sandbox)
    if len(commands) < 2:
        return commands
    if tested_file := state.get("options", {}).get("tests_for"):
        return select_commands(commands, [tested_file])
    changes = compute_net_changes(await list_job_entries(state, runtime))
    return select_commands(commands, [change.path for change in changes])


def show_commands(commands: Sequence[TestCommand]) -> str:
    """Return the commands as the user is shown them."""
    return "; ".join(map(format_command, commands))


async def run_command(
    command: TestCommand, runtime: Runtime[Context], deps: Dependencies, purpose: RunPurpose = ""
) -> TestRun:
    """Run one command in the workspace of `deps`; its output is shown unless it has a `purpose`."""
    command_line = format_command(command)
    emit(runtime, Verifying(command=command_line, purpose=purpose))

    def show_output(text: str) -> None:
        if not purpose:
            emit(runtime, ToolOutput(id="verify", text=text))

    run = await run_tests(
        command,
        deps.workspace.root,
        deps.settings.task.test_timeout,
        show_output,
        deps.sandbox.for_thread(get_thread_id(runtime)),
    )
    return replace(run, command=command_line)
