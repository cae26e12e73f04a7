"""The tool that writes a whole file."""

from pathlib import Path

from ...cancellable_thread import in_worker
from ...definition import Run, tool
from ...editing.elided_code import left_out
from ...filesystem.commit import Saved, save
from ...filesystem.file_access import content_hash, read_bytes, stat_of, written_path
from ...filesystem.file_locks import exclusive
from ...filesystem.text_codec import Decoded, as_read, decode, encode, lines_of
from ...result import ToolRefusal, ToolResult, ToolRun


@tool("edit", paths=("path",))
async def write_file(path: str, content: str, *, run: Run) -> ToolResult:
    """Write a whole file."""
    return await in_worker(_write, run, path, content)


def _write(run: ToolRun, path: str, content: str) -> ToolResult:
    found = written_path(run.workspace, path)
    if path.endswith("/"):
        raise ToolRefusal(f"`{path}` names a folder; folders are made with the files in them")
    with exclusive(found):
        if stat_of(run.workspace, found) is None:
            return _result(save(run, found, None, content), created=True)
        return _replace(run, found, content)


def _replace(run: ToolRun, path: Path, content: str) -> ToolResult:
    data = read_bytes(run.workspace, path)
    old = decode(data)
    text = as_read(old, content)
    if encode(old, text) == data:
        return _unchanged(run.workspace.relative(path), data)
    _check_known(run, run.workspace.relative(path), old, content_hash(data))
    _check_whole(old.text, text)
    return _result(save(run, path, old, text), created=False)


def _check_known(run: ToolRun, name: str, old: Decoded, current: str) -> None:
    if not old.text or run.seen.get(name) == current:
        return
    state = "has changed since you read it" if name in run.seen else "exists and was not read yet"
    raise ToolRefusal(f"`{name}` {state}; `read_file` it before you replace it")


def _check_whole(old: str, new: str) -> None:
    """A line such as `// ... rest unchanged ...` stands for code that would be lost."""
    known = {line.strip() for line in lines_of(old)}
    for line in left_out(lines_of(new)):
        if line.strip() not in known:
            raise ToolRefusal(
                f"the content has `{line.strip()}` in place of lines of the file, which would be "
                "lost; write the whole file, or change only parts of it with `edit`"
            )


def _unchanged(name: str, data: bytes) -> ToolResult:
    return ToolResult(
        f"`{name}` has this very content already; nothing was changed",
        metadata={"path": name, "paths": [], "diff": "", "created": False},
        seen={name: content_hash(data)},
    )


def _result(saved: Saved, *, created: bool) -> ToolResult:
    done = "Created" if created else "Replaced"
    return ToolResult(
        f"{done} `{saved.path}` ({saved.counts})",
        metadata={**saved.metadata, "created": created},
        seen={saved.path: saved.hash},
    )
