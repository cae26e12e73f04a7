"""The tool that replaces a piece of a file's text."""

import asyncio
import os
from pathlib import Path

from .change import Change, change, listed
from .files import content_hash, exclusive, read_bytes
from .listing import existing
from .locate import find
from .numbered import numbered
from .result import ToolRefusal, ToolResult, ToolRun
from .save import Saved, save
from .text import decode, lf, lines_of
from .tool import Run, tool

AROUND = 2
"""Lines that are shown before and after a change."""
MOST_SHOWN = 40

CHANGED = "[the file had changed since you read it: read it again before you rely on other parts]"


@tool("edit", paths=("file_path",))
async def edit(
    file_path: str, old_string: str, new_string: str, replace_all: bool = False, *, run: Run
) -> ToolResult:
    """Replace a piece of a file's text."""
    return await asyncio.to_thread(_edit, run, file_path, old_string, new_string, replace_all)


def _edit(run: ToolRun, file_path: str, old: str, new: str, everywhere: bool) -> ToolResult:
    path = run.workspace.resolve(file_path)
    with exclusive(path):
        if not old and new:
            return _create(run, path, new)
        existing(run.workspace, file_path)
        return _replace(run, path, lf(old), lf(new), everywhere)


def _create(run: ToolRun, path: Path, text: str) -> ToolResult:
    """An empty `old_string` makes a file where there is none, or only an empty one."""
    name = run.workspace.relative(path)
    old = decode(read_bytes(run.workspace, path)) if os.path.exists(path) else None
    if old and old.text:
        raise ToolRefusal(
            f"`{name}` exists and is not empty: `old_string` must be the text to replace; "
            "`write_file` replaces the whole file"
        )
    saved = save(run.workspace, path, old, text)
    return _result(saved, f"Created `{name}` ({saved.counts})", fresh=True)


def _replace(run: ToolRun, path: Path, old: str, new: str, everywhere: bool) -> ToolResult:
    name = run.workspace.relative(path)
    data = read_bytes(run.workspace, path)
    decoded, seen = decode(data), run.seen.get(name)
    if seen is None:
        raise ToolRefusal(f"`{name}` has not been read yet; `read_file` it first, then edit it")
    fresh = seen == content_hash(data)
    if not fresh and len(find(decoded.text, old)) != 1:
        raise ToolRefusal(f"`{name}` has changed since you read it; read it again, then edit it")
    done = change(decoded.text, old, new, everywhere=everywhere)
    saved = save(run.workspace, path, decoded, done.text)
    return _result(saved, _report(name, done, saved, new), fresh=fresh)


def _result(saved: Saved, output: str, *, fresh: bool) -> ToolResult:
    """A file that was not known before the edit, but for the piece, is not known after it."""
    return ToolResult(
        output if fresh else f"{output}\n{CHANGED}",
        metadata={
            "path": saved.path,
            "diff": saved.diff,
            "added": saved.added,
            "removed": saved.removed,
        },
        seen={saved.path: saved.hash} if fresh else {},
    )


def _report(name: str, done: Change, saved: Saved, new: str) -> str:
    """What was done, and the lines of the first place as they are now."""
    head = f"Edited `{name}` ({saved.counts})"
    if len(done.lines) > 1:
        head += f" in {len(done.lines)} places, at lines {listed(done.lines)}; the first:"
    first = max(done.lines[0] - AROUND, 1)
    last = done.lines[0] + new.count("\n") + AROUND
    shown = lines_of(done.text)[first - 1 : min(last, first - 1 + MOST_SHOWN)]
    return f"{head}\n{numbered(shown, first)}" if shown else f"{head}; the file is empty now"
