"""The `run_command` tool."""

import asyncio
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ....config.security.path_variants import to_canonical_path
from ...definition import tool
from ...permissions.decision import Verdict
from ...process.truncation import KEPT_EACH_SIDE
from ...result import CallResult, ToolError
from ...sandbox.sandbox import Sandbox
from ...tool_run import Run, ToolRun
from ...workspace import Workspace
from ..files.shown_files import hash_shown_files

if TYPE_CHECKING:
    from ...process.background_commands import BackgroundCommands
    from ...process.command_run import CommandRun


# seconds that a call may ask for; the configured time may be longer
MAX_TIMEOUT_SECONDS = 600.0
# among the facts of a result: the line of output that says that the sandbox stopped it
BLOCKED = "blocked"
GIT_FOLDER = ".git"
# Seconds of output that the answer to the start shows
FIRST_SECONDS = 1.0
# Python keeps its output back where it is no terminal, and a server's would come much too late
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}
Why = Literal["asked", "sent", "late"]
_BEGINNINGS: dict[Why, str] = {
    "asked": "Runs in the background, id: {id}",
    "sent": "The user sent this command to the background, where it goes on, id: {id}",
    "late": "Still running after {seconds:g} seconds: it goes on in the background, id: {id}",
}
_HOW = (
    'Its new output: command_output(id="{id}"); end it: command_kill(id="{id}"). It ends with '
    "MaxAgent at the latest."
)
_SHARED = (
    "It is in the sandbox: later commands reach its ports on 127.0.0.1, the user's browser does "
    "not; for that it must run with `outside_sandbox: true`."
)
_ALONE = (
    "It is in the sandbox, where no other command reaches its ports ({problem}); if that is needed "
    "it must run with `outside_sandbox: true`."
)


@tool("execute", paths=("cwd",))
async def run_command(
    command: str,
    cwd: str = ".",
    timeout: float | None = None,
    outside_sandbox: bool = False,
    background: bool = False,
    *,
    run: Run,
) -> CallResult:
    """Run a command; an exit code other than 0 is an error, and its output is given too."""
    folder = await asyncio.to_thread(run.workspace.resolve, cwd)
    if not await asyncio.to_thread(folder.is_dir):
        raise ToolError(f"`{cwd}` is not a folder; `cwd` is a folder in the project")
    seconds = _choose_timeout(timeout, run.command_timeout)
    # what may run unasked must not start what the repository's git configuration names
    verdict = await asyncio.to_thread(_analyze, command, cwd, run)
    reads = run.only_reads or verdict == "allow"
    sandbox = run.sandbox
    if sandbox and outside_sandbox:
        sandbox = sandbox.without_confinement()
    if sandbox and reads:
        sandbox = sandbox.as_read_only()
    elif sandbox and sandbox.is_on:
        was_asked = verdict == "ask"
        sandbox = await asyncio.to_thread(_select_sandbox, sandbox, command, cwd, was_asked)
    run = replace(run, sandbox=sandbox)
    if background:
        result = await _run_in_background(command, folder, run, guard=reads)
    elif run.jobs:
        result = await _run_in_foreground(
            command, folder, seconds, run, guard=reads, is_limited=timeout is not None or reads
        )
    else:
        from .shell_run import run_shell

        result = await run_shell(command, folder, seconds, run, guard=reads)
    result = _with_hint(result, command, run)
    whole = result.metadata["bytes"] <= 2 * KEPT_EACH_SIDE
    seen = partial(hash_shown_files, run.workspace, folder, command, all_shown=whole)
    return replace(result, seen=await asyncio.to_thread(seen)) if result.ok else result


async def _run_in_background(
    command: str, folder: Path, run: ToolRun, *, guard: bool
) -> CallResult:
    """Start the command and answer after its first second; one that has ended by then is done."""
    from .shell_run import build_result, start_shell, watch_shell

    jobs = require_background(run)
    shell = await start_shell(command, folder, run, seconds=None, guard=guard, env=UNBUFFERED)
    await watch_shell(shell, run, FIRST_SECONDS)
    if shell.is_running:
        return await move_to_background(shell, jobs, run, "asked")
    return build_result(shell, FIRST_SECONDS)


async def _run_in_foreground(
    command: str, folder: Path, seconds: float, run: ToolRun, *, guard: bool, is_limited: bool
) -> CallResult:
    """Run the command to its end, unless the user sends it to the background meanwhile.

    It goes on there, too, when its time is over; not if the call has limited that time, and not if
    it only reads.
    """
    from .shell_run import build_result, start_shell, watch_shell

    jobs = run.jobs
    assert jobs
    limit = seconds if is_limited else None
    shell = await start_shell(command, folder, run, seconds=limit, guard=guard)
    jobs.set_foreground(shell)
    try:
        await watch_shell(shell, run, None if is_limited else seconds)
    finally:
        jobs.set_foreground(None)
    if shell.is_running and jobs.has_room:
        reason = "sent" if shell.sent_back.is_set() else "late"
        return await move_to_background(shell, jobs, run, reason)
    await shell.stop()
    return build_result(shell, seconds)


def _analyze(command: str, cwd: str, run: ToolRun) -> Verdict | None:
    from ...shell.analyzer import analyze_command  # brings the parser

    return analyze_command(command, cwd, run.workspace).verdict


def _select_sandbox(sandbox: Sandbox, command: str, cwd: str, was_asked: bool) -> Sandbox:
    """Select the sandbox of a command that may write; `was_asked`: because of what it does."""
    from ...shell.effects.package_installs import is_package_install

    if was_asked:
        sandbox = sandbox.with_approved_files(_list_written(command, cwd, sandbox.workspace))
    installs = is_package_install(command, cwd, sandbox.workspace)
    return sandbox.with_program_folders() if installs else sandbox


def _list_written(command: str, cwd: str, workspace: Workspace) -> list[Path]:
    """List the project's files that a command writes by name, without those of git itself."""
    from ...shell.effects.written_files import find_written_files

    paths = find_written_files(command, cwd, workspace).paths
    inside = [path for path in paths if path.is_relative_to(workspace.root)]
    return [path for path in inside if GIT_FOLDER not in to_canonical_path(str(path)).split("/")]


def _has_confined_server(run: ToolRun) -> bool:
    return run.jobs is not None and any(job.confined for job in run.jobs.running)


def _with_hint(result: CallResult, command: str, run: ToolRun) -> CallResult:
    """Add a hint to a failure that the sandbox or a missing variable may have caused."""
    if not result.ok and run.sandbox and (more := run.sandbox.explain_failure(result.output)):
        result = replace(result, error=f"{result.error}; {more}")
    if result.ok or not (run.sandbox and run.sandbox.is_on) or result.metadata["timed_out"]:
        return result
    from ...sandbox.failure_hint import find_block, find_hint, find_refused_connection

    network, sockets = run.sandbox.network, not run.sandbox.denies_unix_sockets
    blocked = find_block(result.output, network=network, unix_sockets=sockets)
    if not (blocked or network or _has_confined_server(run)):
        code = result.metadata["exit_code"]
        blocked = find_refused_connection(command, result.output, code)
    if blocked:
        result = replace(result, metadata={**result.metadata, BLOCKED: blocked})
    more = find_hint(result.output, network=network, unix_sockets=sockets)
    return replace(result, error=f"{result.error}; {more}") if more else result


def _choose_timeout(asked: float | None, configured: float) -> float:
    if asked is None:
        return configured
    if asked <= 0:
        raise ToolError("`timeout` must be more than 0 seconds")
    return min(asked, max(MAX_TIMEOUT_SECONDS, configured))


def require_background(run: ToolRun) -> "BackgroundCommands":
    """Return the thread's background commands; raise ToolError if one more may not run."""
    if run.jobs is None:
        raise ToolError("no command can run in the background here; call it without `background`")
    run.jobs.require_room()
    return run.jobs


async def move_to_background(
    shell: "CommandRun", jobs: "BackgroundCommands", run: ToolRun, why: Why
) -> CallResult:
    """Leave the command to run on; the answer has its output so far."""
    text, seconds = shell.recording.to_text(), shell.seconds
    await jobs.add(shell)
    parts = [_BEGINNINGS[why].format(id=shell.id, seconds=seconds), text.rstrip("\n")]
    parts += [_describe_network(shell, jobs, run), _HOW.format(id=shell.id)]
    if not text:
        parts[1] = "(no output yet)"
    return CallResult(
        "\n".join(filter(None, parts)),
        metadata={
            "background": shell.id,
            "duration_s": round(seconds, 1),
            "timed_out": False,
            "output_file": shell.recording.stored_id,
            "bytes": shell.recording.size,
        },
    )


def _describe_network(shell: "CommandRun", jobs: "BackgroundCommands", run: ToolRun) -> str:
    if not shell.confined or run.sandbox is None or run.sandbox.network:
        return ""
    if jobs.network:
        return _SHARED
    if not jobs.network_problem:
        return ""  # it only reads
    problem = "" if sys.platform == "darwin" else "there is no private network: "
    return _ALONE.format(problem=f"{problem}{jobs.network_problem}")
