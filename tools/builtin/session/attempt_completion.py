"""The `attempt_completion` tool: ends the task with a result."""

from ...definition import tool
from ...result import ToolError, ToolResult
from ...tool_run import Run


@tool("note")
async def attempt_completion(result: str, command: str = "", *, run: Run) -> ToolResult:
    """Note the result; the graph decides whether it is enough."""
    if not result.strip():
        raise ToolError("`result` is empty; say in a few lines what was done and how to check it")
    return ToolResult(result, metadata={"command": command}, update={"completion": result})
