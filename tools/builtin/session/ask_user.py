"""The `ask_user` tool; the user's answer takes the place of its result."""

from ...definition import tool
from ...result import CallResult, ToolError
from ...tool_run import Run


@tool("talk")
async def ask_user(question: str, options: tuple[str, ...] = (), *, run: Run) -> CallResult:
    """Ask the human; whoever approves calls answers it, so running it means nobody is there."""
    raise ToolError(
        "nobody is here to answer; decide yourself, choose what is easy to undo, and say so"
    )
