"""The `list_files` tool."""

import asyncio

from ...definition import tool
from ...filesystem.listing import find_entries, format_entries, resolve_folder
from ...glob_pattern import compile_glob
from ...result import CallResult, ToolError
from ...tool_run import Run
from ...workspace import Workspace

MAX_RESULTS = 1_000


@tool("read", paths=("path",))
async def list_files(
    path: str = ".",
    pattern: str = "",
    recursive: bool = False,
    max_results: int = 100,
    *,
    run: Run,
) -> CallResult:
    """List a folder."""
    if max_results < 1:
        raise ToolError("`max_results` must be at least 1")
    limit = min(max_results, MAX_RESULTS)
    workspace = run.workspace.select_readable(path)
    return await asyncio.to_thread(_list_folder, workspace, path or ".", pattern, recursive, limit)


def _list_folder(
    workspace: Workspace, path: str, pattern: str, recursive: bool, limit: int
) -> CallResult:
    folder = resolve_folder(workspace, path)
    fits = compile_glob(pattern)
    deep = recursive or "/" in pattern
    entries = find_entries(workspace, folder, fits, deep=deep)
    hint = "narrow with `path` or `pattern`, or raise `max_results`"
    output = format_entries(entries, limit, hint)
    return CallResult(output, metadata={"path": workspace.to_shown(workspace.to_relative(folder))})
