"""The tool that lists a folder."""

import asyncio

from ...definition import Run, tool
from ...filesystem.listing import found_below, listed_folder, shown
from ...glob_pattern import name_matcher
from ...result import ToolRefusal, ToolResult
from ...workspace import Workspace

MOST_RESULTS = 1_000


@tool("read", paths=("path",))
async def list_files(
    path: str = ".",
    pattern: str = "",
    recursive: bool = False,
    max_results: int = 100,
    *,
    run: Run,
) -> ToolResult:
    """List a folder."""
    if max_results < 1:
        raise ToolRefusal("`max_results` is at least 1")
    limit = min(max_results, MOST_RESULTS)
    return await asyncio.to_thread(_list, run.workspace, path or ".", pattern, recursive, limit)


def _list(workspace: Workspace, path: str, pattern: str, recursive: bool, limit: int) -> ToolResult:
    folder = listed_folder(workspace, path)
    fits = name_matcher(pattern)
    deep = recursive or "/" in pattern
    entries = found_below(workspace, folder, fits, deep=deep)
    hint = "narrow with `path` or `pattern`, or raise `max_results`"
    output = shown(entries, limit, hint)
    return ToolResult(output, metadata={"path": workspace.relative(folder)})
