"""One shell command of the model: started, watched by its call, and perhaps left to go on."""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ....config.security.redaction import redact
from ...git.hardened_git import GUARD, guard_command, hide_secrets
from ...process.autosave import autosave
from ...process.command_run import CommandRun
from ...process.launcher import SHELL, ProcessExit, Sink, TimeLimit
from ...process.output_capture import OutputRecorder, make_output_id
from ...process.output_stream import LiveOutput
from ...process.stream_redaction import RedactingSink
from ...result import CallResult, ToolError
from ...sandbox.execution import stream_inside
from ...tool_run import ToolRun

# bytes; Linux takes no argument over 131,071
MAX_COMMAND_BYTES = 100_000


async def run_shell(
    command: str,
    folder: Path,
    seconds: float,
    run: ToolRun,
    *,
    guard: bool = False,
    env: Mapping[str, str] | None = None,
) -> CallResult:
    """Run a command line in a real folder; its output is shown, bounded, and kept as the call's.

    Git shows no secrets; `guard` also keeps it from running programs. `env` is added to the
    environment that commands have. Raises ToolError for what
    is no command, and for what the sandbox cannot take in.
    """
    shell = await start_shell(command, folder, run, seconds=seconds, guard=guard, env=env)
    await watch_shell(shell, run)
    return build_result(shell, seconds)


async def start_shell(
    command: str,
    folder: Path,
    run: ToolRun,
    *,
    seconds: float | None,
    guard: bool = False,
    env: Mapping[str, str] | None = None,
) -> CommandRun:
    """Start a command line; None for `seconds` is no limit, and `env` is added to its own."""
    argv = [SHELL, "-c", _validate_command(command)]
    argv, own = (guard_command(argv), GUARD) if guard else (argv, await hide_secrets(folder))
    recording = await asyncio.to_thread(OutputRecorder, run.outputs, run.call_id)
    from ...sandbox.private_network import enter_private_network

    network = await enter_private_network(run.sandbox, run.jobs, create=not guard)

    async def stream(limit: TimeLimit, sink: Sink) -> ProcessExit:
        output = RedactingSink(sink)
        try:
            return await stream_inside(
                run.sandbox,
                argv,
                cwd=folder,
                timeout=limit,
                on_output=output.add,
                env={**own, **(env or {})},
                namespaces=network,
            )
        finally:
            output.close()

    shell = CommandRun(
        make_output_id(run.call_id),
        redact(command.strip()),
        recording,
        seconds=seconds,
        confined=run.sandbox is not None and run.sandbox.is_on,
        only_reads=guard,
    )
    shell.start(stream, run.jobs.note_end if run.jobs else None)
    return shell


async def watch_shell(shell: CommandRun, run: ToolRun, seconds: float | None = None) -> None:
    """Show the output until the command ends, is sent to the background, or the time is over.

    A cancelled call ends its command.
    """
    live = LiveOutput(run.emit)
    try:
        async with autosave(partial(_read_so_far, shell), run.keep) as grown:

            def show_output(piece: bytes) -> None:
                live.add(piece)
                grown()

            shell.watch = show_output
            await shell.wait(seconds, or_sent_back=True)
    except asyncio.CancelledError:
        await shell.stop()
        raise


def _read_so_far(shell: CommandRun) -> str:
    shell.recording.flush()
    return shell.recording.to_text()


def _validate_command(command: str) -> str:
    if not command.strip():
        raise ToolError("`command` is empty; give the shell command to run")
    try:
        size = len(command.encode())
    except UnicodeEncodeError:
        size = 0
    if not 0 < size <= MAX_COMMAND_BYTES or "\0" in command:
        raise ToolError(
            f"the command is over {MAX_COMMAND_BYTES:,} bytes or holds a character that no command "
            "can have; write a script and run that"
        )
    return command


def build_result(shell: CommandRun, seconds: float) -> CallResult:
    """Return the result of a command that has ended; raises what kept it from running."""
    ended = shell.get_exit() or ProcessExit(143, timed_out=True, duration=shell.seconds)
    error = f"exit code {ended.exit_code}" if ended.exit_code else ""
    if ended.timed_out:
        error = (
            f"stopped after {seconds:g} seconds, with all it had started; "
            "give a longer `timeout` (at most 600) or run a smaller part"
        )
    return CallResult(
        output=shell.recording.to_text() or ("" if error else "(no output)"),
        error=error,
        metadata={
            "exit_code": ended.exit_code,
            "duration_s": round(ended.duration, 1),
            "timed_out": ended.timed_out,
            "output_file": shell.recording.stored_id,
            "bytes": shell.recording.size,
        },
    )
