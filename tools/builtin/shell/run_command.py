"""The `run_command` tool."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...definition import tool
from ...git.hardened_git import GUARD, guard_command, hide_secrets
from ...process.autosave import autosave
from ...process.launcher import SHELL, ProcessExit
from ...process.output_capture import OutputRecorder
from ...process.output_stream import LiveOutput
from ...process.stream_redaction import RedactingSink
from ...process.truncation import KEPT_EACH_SIDE
from ...result import ToolError, ToolResult
from ...sandbox.execution import stream_inside
from ...sandbox.failure_hint import find_block, find_hint
from ...sandbox.sandbox import Sandbox
from ...tool_run import Run, ToolRun
from ..files.shown_files import hash_shown_files

# seconds that a call may ask for; the configured time may be longer
MAX_TIMEOUT_SECONDS = 600.0
# among the facts of a result: the line of output that says that the sandbox stopped it
BLOCKED = "blocked"
# bytes; Linux takes no argument over 131,071
LONGEST_COMMAND = 100_000


@tool("execute", paths=("cwd",))
async def run_command(
    command: str,
    cwd: str = ".",
    timeout: float | None = None,
    outside_sandbox: bool = False,
    *,
    run: Run,
) -> ToolResult:
    """Run a command; an exit code other than 0 is an error, and its output is given too."""
    folder = await asyncio.to_thread(run.workspace.resolve, cwd)
    if not await asyncio.to_thread(folder.is_dir):
        raise ToolError(f"`{cwd}` is not a folder; `cwd` is a folder in the project")
    seconds = _choose_timeout(timeout, run.command_timeout)
    # what may run unasked must not start what the repository's git configuration names
    reads = run.only_reads or await asyncio.to_thread(_is_read_only, command, cwd, run)
    run = replace(
        run, sandbox=None if outside_sandbox else _select_sandbox(run.sandbox, reads=reads)
    )
    result = await run_shell(command, folder, seconds, run, guard=reads)
    result = _with_hint(result, run)
    whole = result.metadata["bytes"] <= 2 * KEPT_EACH_SIDE
    seen = partial(hash_shown_files, run.workspace, folder, command, all_shown=whole)
    return replace(result, seen=await asyncio.to_thread(seen)) if result.ok else result


async def run_shell(
    command: str,
    folder: Path,
    seconds: float,
    run: ToolRun,
    *,
    guard: bool = False,
) -> ToolResult:
    """Run a command line in a real folder; its output is shown, bounded, and kept as the call's.

    Git shows no secrets; `guard` also keeps it from running programs. Raises ToolError for what
    is no command, and for what the sandbox cannot take in.
    """
    argv = [SHELL, "-c", _validate_command(command)]
    argv, env = (guard_command(argv), GUARD) if guard else (argv, await hide_secrets(folder))
    recording = await asyncio.to_thread(OutputRecorder, run.outputs, run.call_id)
    live = LiveOutput(run.emit)

    async with autosave(partial(_read_so_far, recording), run.keep) as grown:

        def record_output(piece: bytes) -> None:
            recording.add(piece)
            live.add(piece)
            grown()

        output = RedactingSink(record_output)
        try:
            ended = await stream_inside(
                run.sandbox, argv, cwd=folder, timeout=seconds, on_output=output.add, env=env
            )
        finally:
            output.close()
            recording.close()
    return _build_result(recording, ended, seconds)


def _read_so_far(recording: OutputRecorder) -> str:
    recording.flush()
    return recording.to_text()


def _is_read_only(command: str, cwd: str, run: ToolRun) -> bool:
    from ...shell.analyzer import analyze_command  # brings the parser

    return analyze_command(command, cwd, run.workspace).verdict == "allow"


def _select_sandbox(sandbox: Sandbox | None, *, reads: bool) -> Sandbox | None:
    return sandbox.as_read_only() if sandbox and reads else sandbox


def _with_hint(result: ToolResult, run: ToolRun) -> ToolResult:
    """Add a hint to a failure that the sandbox may have caused."""
    if result.ok or not (run.sandbox and run.sandbox.is_on) or result.metadata["timed_out"]:
        return result
    network, sockets = run.sandbox.network, not run.sandbox.denies_unix_sockets
    if blocked := find_block(result.output, network=network, unix_sockets=sockets):
        result = replace(result, metadata={**result.metadata, BLOCKED: blocked})
    more = find_hint(result.output, network=network, unix_sockets=sockets)
    return replace(result, error=f"{result.error}; {more}") if more else result


def _choose_timeout(asked: float | None, configured: float) -> float:
    if asked is None:
        return configured
    if asked <= 0:
        raise ToolError("`timeout` must be more than 0 seconds")
    return min(asked, max(MAX_TIMEOUT_SECONDS, configured))


def _validate_command(command: str) -> str:
    if not command.strip():
        raise ToolError("`command` is empty; give the shell command to run")
    try:
        size = len(command.encode())
    except UnicodeEncodeError:
        size = 0
    if not 0 < size <= LONGEST_COMMAND or "\0" in command:
        raise ToolError(
            f"the command is over {LONGEST_COMMAND:,} bytes or holds a character that no command "
            "can have; write a script and run that"
        )
    return command


def _build_result(recording: OutputRecorder, ended: ProcessExit, seconds: float) -> ToolResult:
    error = f"exit code {ended.exit_code}" if ended.exit_code else ""
    if ended.timed_out:
        error = (
            f"stopped after {seconds:g} seconds, with all it had started; "
            "give a longer `timeout` (at most 600) or run a smaller part"
        )
    return ToolResult(
        output=recording.to_text() or ("" if error else "(no output)"),
        error=error,
        metadata={
            "exit_code": ended.exit_code,
            "duration_s": round(ended.duration, 1),
            "timed_out": ended.timed_out,
            "output_file": recording.stored_id,
            "bytes": recording.size,
        },
    )
