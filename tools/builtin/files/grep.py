"""The `grep` tool: ripgrep if it is installed, else a search in Python."""

from ...definition import tool
from ...result import CallResult, ToolError
from ...tool_run import Run


@tool("read", paths=("path",), shows=True)
async def grep(regex: str, path: str = ".", file_pattern: str = "", *, run: Run) -> CallResult:
    """Search in files."""
    if not regex:
        raise ToolError("`regex` is empty; `list_files` and `glob` show which files there are")
    from ...search.file_search import search_files

    return await search_files(run.workspace.select_readable(path), regex, path or ".", file_pattern)
