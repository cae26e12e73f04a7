"""The `command_output` tool: reads what a command has printed, while it runs or from its file."""

import asyncio
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ...definition import tool
from ...process.output_capture import get_output_path, make_output_id
from ...process.truncation import clean_text
from ...result import CallResult, ToolError
from ...tool_run import Run, ToolRun

if TYPE_CHECKING:
    import regex

    from ...process.command_run import CommandRun

MAX_LINES = 500
MAX_BYTES = 32_000
# bytes of a line that are shown
MAX_LINE_BYTES = 2_000
# Seconds that a filter may search
FILTER_SECONDS = 5.0


@tool("read")
async def command_output(
    id: str,
    start_line: int | None = None,
    end_line: int | None = None,
    filter: str = "",
    *,
    run: Run,
) -> CallResult:
    """Read a command's new output, or lines of the stored one, which is outside the project."""
    first = 1 if start_line is None else start_line
    if not 1 <= first <= (first if end_line is None else end_line) <= sys.maxsize:
        raise ToolError("lines count from 1, and `end_line` must not be before `start_line`")
    lines_filter = _LineFilter(filter)
    command = run.jobs.find(make_output_id(id)) if run.jobs else None
    if command and start_line is None and end_line is None:
        return await _read_new_output(command, lines_filter, run)
    if command and command.is_running:
        command.recording.flush()
    path = get_output_path(run.outputs, make_output_id(id))
    text = await asyncio.to_thread(_read_output, path, first, end_line, lines_filter)
    return CallResult(text, metadata={"output_file": path.stem})


async def _read_new_output(
    command: "CommandRun", line_filter: "_LineFilter", run: ToolRun
) -> CallResult:
    """Return what the command has printed since the last look, and what has become of it."""
    has_ended = not command.is_running
    data, dropped = command.read_new_output()
    new_output = await asyncio.to_thread(_render_new, data, dropped, line_filter, command.id)
    if has_ended and run.jobs:
        await run.jobs.mark_known(command)
    text = f"{describe_state(command)}\n{new_output}"
    metadata = {"background": command.id, "state": command.state, "bytes": len(data) + dropped}
    return CallResult(text, metadata=metadata)


def describe_state(command: "CommandRun") -> str:
    """Describe whether it runs, or how it ended."""
    seconds = f"{command.seconds:.0f} s"
    if command.is_running:
        return f"Running for {seconds}."
    code = command.find_exit_code()
    if command.was_killed or code is None:
        return "Ended: it was killed."
    return f"Ended after {seconds}, exit code {code}."


def _render_new(data: bytes, dropped: int, line_filter: "_LineFilter", command_id: str) -> str:
    every = data.splitlines(keepends=True)
    lines = [line for line in every if line_filter.matches(line)]
    newest_lines, room = list[bytes](), MAX_BYTES
    for line in reversed(lines[-MAX_LINES:]):
        room -= min(len(line), MAX_LINE_BYTES)
        if room < 0:
            break
        newest_lines.insert(0, line)
    text = "".join(map(_shorten_line, newest_lines))
    if dropped or len(newest_lines) < len(lines):
        hint = f'all of it: command_output(id="{command_id}", start_line=1)'
        text = f"[… earlier output is left out; {hint} …]\n{text}"
    if not lines:
        return "no new output" if not every else f"no new line matches; {len(every)} do not"
    return text


def _read_output(path: Path, start: int, end: int | None, line_filter: "_LineFilter") -> str:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise ToolError(
            f"no output is stored as `{path.stem}`; {_list_stored(path.parent)}"
        ) from None
    with file:
        visible_lines = list(
            _iter_shown(enumerate(islice(file, start - 1, end), start), line_filter)
        )
    if not visible_lines:
        problem = f"no line matches from line {start} on"
        raise ToolError(problem if line_filter else f"the output has fewer than {start} lines")
    return "".join(visible_lines)


def _iter_shown(lines: Iterable[tuple[int, bytes]], line_filter: "_LineFilter") -> Iterator[str]:
    room, count = MAX_BYTES, 0
    for number, line in lines:
        if not line_filter.matches(line):
            continue
        room -= min(len(line), MAX_LINE_BYTES)
        if room < 0 or count == MAX_LINES:
            yield f"[… more: go on with start_line={number} …]"
            return
        count += 1
        yield _shorten_line(line)


class _LineFilter:
    """A regular expression that lines must match; true if there is one."""

    def __init__(self, pattern: str) -> None:
        self._pattern = _compile_pattern(pattern) if pattern else None
        self._deadline = 0.0

    def __bool__(self) -> bool:
        return self._pattern is not None

    def matches(self, line: bytes) -> bool:
        """Return whether a line matches; raise ToolError once the search takes too long."""
        if self._pattern is None:
            return True
        self._deadline = self._deadline or time.monotonic() + FILTER_SECONDS
        left = self._deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            text = clean_text(line[: MAX_LINE_BYTES * 10])
            return self._pattern.search(text, timeout=left, concurrent=True) is not None
        except TimeoutError:
            raise ToolError("`filter` takes too long; use a simpler one") from None


def _compile_pattern(pattern: str) -> "regex.Pattern[str]":
    import regex

    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ToolError(f"`filter` is not a regular expression: {error}") from None


def _shorten_line(line: bytes) -> str:
    if len(line) <= MAX_LINE_BYTES:
        return clean_text(line)
    return f"{clean_text(line[:MAX_LINE_BYTES])} [… {len(line) - MAX_LINE_BYTES:,} bytes …]\n"


def _list_stored(outputs: Path) -> str:
    """List the stored outputs, the newest first."""
    files = sorted(outputs.glob("*.txt"), key=lambda file: file.stat().st_mtime, reverse=True)
    names = ", ".join(f"`{file.stem}`" for file in files[:10])
    return f"stored are {names}" if names else "only outputs too long for the answer are stored"
