"""Commands that go on in the background: started there, sent there, or out of time."""

import sys
from typing import TYPE_CHECKING, Literal

from ...result import CallResult, ToolError
from ...tool_run import ToolRun

if TYPE_CHECKING:
    from ...process.background_commands import BackgroundCommands
    from ...process.command_run import CommandRun

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
