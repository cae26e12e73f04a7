"""The `glob` tool: finds files by name."""

import asyncio

from ...definition import tool
from ...filesystem.listing import find_entries, format_entries, resolve_folder
from ...glob_pattern import compile_glob
from ...result import CallResult, ToolError
from ...tool_run import Run
from ...workspace import Workspace

MAX_RESULTS = 200


@tool("read")
async def glob(pattern: str, *, run: Run) -> CallResult:
    """Find files by name."""
    if not pattern.strip():
        raise ToolError("the pattern is empty; `**/*.py`, for example, finds all Python files")
    return await asyncio.to_thread(_find_files, run.workspace.select_readable(pattern), pattern)


def _find_files(workspace: Workspace, pattern: str) -> CallResult:
    inside = pattern.removeprefix(f"{workspace.root}/")
    start, rest = _split_plain_prefix(inside)
    fits = compile_glob(rest)
    folder = resolve_folder(workspace, start)
    entries = find_entries(workspace, folder, fits, deep=True)
    return CallResult(format_entries(entries, MAX_RESULTS, "make the pattern narrower"))


def _split_plain_prefix(pattern: str) -> tuple[str, str]:
    """Split a pattern into the leading folders without wildcards, and the rest."""
    parts = pattern.split("/")
    plain = 0
    while plain < len(parts) - 1 and not set("*?[{") & set(parts[plain]):
        plain += 1
    rest = "/".join(parts[plain:])
    start = "/".join(parts[:plain]) or ("/" if plain else ".")
    return start, rest if plain == 0 else f"./{rest}"
