"""The tool that writes a whole file."""

import asyncio
import os
from pathlib import Path

from .files import content_hash, exclusive, read_bytes
from .result import ToolRefusal, ToolResult, ToolRun
from .save import Saved, save
from .text import Decoded, decode, encode, lf
from .tool import Run, tool


@tool("edit", paths=("path",))
async def write_file(path: str, content: str, *, run: Run) -> ToolResult:
    """Write a whole file."""
    return await asyncio.to_thread(_write, run, path, content)


def _write(run: ToolRun, path: str, content: str) -> ToolResult:
    found = run.workspace.resolve(path)
    if path.endswith("/"):
        raise ToolRefusal(f"`{path}` names a folder; folders are made with the files in them")
    with exclusive(found):
        if not os.path.exists(found):
            return _result(save(run.workspace, found, None, content), created=True)
        return _replace(run, found, content)


def _replace(run: ToolRun, path: Path, content: str) -> ToolResult:
    data = read_bytes(run.workspace, path)
    old = decode(data)
    text = lf(content) if old.text else content
    if encode(old, text) == data:
        return _unchanged(run.workspace.relative(path), data)
    _check_known(run, run.workspace.relative(path), old, content_hash(data))
    return _result(save(run.workspace, path, old, text), created=False)


def _check_known(run: ToolRun, name: str, old: Decoded, current: str) -> None:
    if not old.text or run.seen.get(name) == current:
        return
    state = "has changed since you read it" if name in run.seen else "exists and was not read yet"
    raise ToolRefusal(f"`{name}` {state}; `read_file` it before you replace it")


def _unchanged(name: str, data: bytes) -> ToolResult:
    return ToolResult(
        f"`{name}` has this very content already; nothing was changed",
        metadata={"path": name, "diff": "", "created": False},
        seen={name: content_hash(data)},
    )


def _result(saved: Saved, *, created: bool) -> ToolResult:
    done = "Created" if created else "Replaced"
    return ToolResult(
        f"{done} `{saved.path}` ({saved.counts})",
        metadata={"path": saved.path, "diff": saved.diff, "created": created},
        seen={saved.path: saved.hash},
    )
