"""The `command_output` tool: reads the stored output of a command."""

import asyncio
import sys
from itertools import islice
from pathlib import Path

from ...definition import tool
from ...process.output_capture import get_output_path, make_output_id
from ...process.truncation import clean_text
from ...result import ToolError, ToolResult
from ...tool_run import Run

MOST_LINES = 500
MOST_BYTES = 32_000
# bytes of a line that are shown
LONGEST_LINE = 2_000


@tool("read")
async def command_output(
    id: str, start_line: int = 1, end_line: int | None = None, *, run: Run
) -> ToolResult:
    """Read a stored command output; the file is outside the project, so it goes by its id."""
    if not 1 <= start_line <= (end_line or start_line) <= sys.maxsize:
        raise ToolError("lines count from 1, and `end_line` must not be before `start_line`")
    path = get_output_path(run.outputs, make_output_id(id))
    text = await asyncio.to_thread(_read_output, path, start_line, end_line)
    return ToolResult(text, metadata={"output_file": path.stem})


def _read_output(path: Path, start: int, end: int | None) -> str:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise ToolError(
            f"no output is stored as `{path.stem}`; {_list_stored(path.parent)}"
        ) from None
    shown = list[str]()
    room = MOST_BYTES
    with file:
        for line in islice(file, start - 1, end):
            room -= min(len(line), LONGEST_LINE)
            if room < 0 or len(shown) == MOST_LINES:
                shown.append(f"[… more: go on with start_line={start + len(shown)} …]")
                break
            shown.append(_shorten_line(line))
    if not shown:
        raise ToolError(f"the output has fewer than {start} lines")
    return "".join(shown)


def _shorten_line(line: bytes) -> str:
    if len(line) <= LONGEST_LINE:
        return clean_text(line)
    return f"{clean_text(line[:LONGEST_LINE])} [… {len(line) - LONGEST_LINE:,} bytes …]\n"


def _list_stored(outputs: Path) -> str:
    """List the stored outputs, the newest first."""
    files = sorted(outputs.glob("*.txt"), key=lambda file: file.stat().st_mtime, reverse=True)
    names = ", ".join(f"`{file.stem}`" for file in files[:10])
    return f"stored are {names}" if names else "only outputs too long for the answer are stored"
