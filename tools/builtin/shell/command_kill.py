"""The `command_kill` tool: ends a background command."""

from ...definition import tool
from ...process.output_capture import make_output_id
from ...process.truncation import make_excerpt
from ...result import CallResult, ToolError
from ...tool_run import Run
from .command_output import describe_state

# bytes of each end of the last output that are shown
KEPT_EACH_SIDE = 2_000


# it only ends what the same thread was allowed to start
@tool("note")
async def command_kill(id: str, *, run: Run) -> CallResult:
    """End a background command with every process that it has started."""
    if run.jobs is None:
        raise ToolError("no command runs in the background here")
    was_running = (
        existing_command := run.jobs.find(make_output_id(id))
    ) is not None and existing_command.is_running
    command = await run.jobs.kill(make_output_id(id))
    data, _ = command.read_new_output()
    await run.jobs.mark_known(command)
    first = "Killed, with all that it had started." if was_running else describe_state(command)
    last = make_excerpt(data, keep=KEPT_EACH_SIDE).rstrip("\n")
    text = f"{first} Its last new output:\n{last}" if last else first
    return CallResult(text, metadata={"background": command.id, "state": command.state})
