"""The `list_code_definitions` tool: the classes, functions and methods of files."""

from ...cancellable_thread import run_in_worker
from ...definition import tool
from ...result import CallResult
from ...tool_run import Run


@tool("read", paths=("path",))
async def list_code_definitions(
    path: str = ".", recursive: bool = False, *, run: Run
) -> CallResult:
    """List the definitions in a file, or in the files of a folder."""
    from .code_outline import outline_sources  # brings the parsers

    return await run_in_worker(outline_sources, run.workspace, path or ".", recursive)
