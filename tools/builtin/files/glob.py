"""The tool that finds files by name."""

import asyncio

from ...definition import Run, tool
from ...filesystem.listing import found_below, listed_folder, shown
from ...glob_pattern import name_matcher
from ...result import ToolRefusal, ToolResult
from ...workspace import Workspace

MOST_RESULTS = 200


@tool("read")
async def glob(pattern: str, *, run: Run) -> ToolResult:
    """Find files by name."""
    if not pattern.strip():
        raise ToolRefusal("the pattern is empty; `**/*.py`, for example, finds all Python files")
    return await asyncio.to_thread(_glob, run.workspace, pattern)


def _glob(workspace: Workspace, pattern: str) -> ToolResult:
    inside = pattern.removeprefix(f"{workspace.root}/")
    start, rest = _plain_beginning(inside)
    fits = name_matcher(rest)
    folder = listed_folder(workspace, start)
    entries = found_below(workspace, folder, fits, deep=True)
    return ToolResult(shown(entries, MOST_RESULTS, "make the pattern narrower"))


def _plain_beginning(pattern: str) -> tuple[str, str]:
    """The folders that the pattern names without any `*`, and the rest of it."""
    parts = pattern.split("/")
    plain = 0
    while plain < len(parts) - 1 and not set("*?[{") & set(parts[plain]):
        plain += 1
    rest = "/".join(parts[plain:])
    start = "/".join(parts[:plain]) or ("/" if plain else ".")
    return start, rest if plain == 0 else f"./{rest}"
