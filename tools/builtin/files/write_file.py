"""The `write_file` tool."""

from pathlib import Path

from ...cancellable_thread import run_in_worker
from ...definition import tool
from ...editing.elided_code import find_elisions
from ...filesystem.commit import CommitResult, commit_changes
from ...filesystem.file_access import get_stat, hash_content, read_bytes, resolve_write_path
from ...filesystem.file_locks import lock_files
from ...filesystem.text_codec import DecodedText, as_read, decode_file, encode_text, split_lines
from ...result import CallResult, ToolError
from ...tool_run import Run, ToolRun


@tool("edit", paths=("path",))
async def write_file(path: str, content: str, *, run: Run) -> CallResult:
    """Write a whole file."""
    return await run_in_worker(write_text_file, run, path, content)


def write_text_file(run: ToolRun, path: str, content: str) -> CallResult:
    """Write a whole file; one that exists must have been read."""
    target = resolve_write_path(run.workspace, path)
    if path.endswith("/"):
        raise ToolError(f"`{path}` names a folder; folders are created with the files in them")
    with lock_files(target):
        if get_stat(run.workspace, target) is None:
            return _build_result(commit_changes(run, target, None, content), created=True)
        return _replace_content(run, target, content)


def _replace_content(run: ToolRun, path: Path, content: str) -> CallResult:
    data = read_bytes(run.workspace, path)
    old = decode_file(run.workspace, run.workspace.to_relative(path), data)
    text = as_read(old, content)
    if encode_text(old, text) == data:
        return _build_unchanged_result(run.workspace.to_relative(path), data)
    _check_known(run, run.workspace.to_relative(path), old, hash_content(data))
    _check_whole(old.text, text)
    return _build_result(commit_changes(run, path, old, text), created=False)


def _check_known(run: ToolRun, name: str, old: DecodedText, current: str) -> None:
    if not old.text or run.seen.get(name) == current:
        return
    state = "has changed since you read it" if name in run.seen else "exists and was not read yet"
    raise ToolError(f"`{name}` {state}; `read_file` it before you replace it")


def _check_whole(old: str, new: str) -> None:
    """Raise ToolError for a placeholder such as `// ... rest unchanged ...`: code would be lost."""
    old_lines = {line.strip() for line in split_lines(old)}
    for line in find_elisions(split_lines(new)):
        if line.strip() not in old_lines:
            raise ToolError(
                f"the content has `{line.strip()}` in place of lines of the file, which would be "
                "lost; write the whole file, or change only parts of it with `edit`"
            )


def _build_unchanged_result(name: str, data: bytes) -> CallResult:
    return CallResult(
        f"`{name}` already has this content; nothing was changed",
        metadata={"path": name, "paths": [], "diff": "", "created": False},
        seen={name: hash_content(data)},
    )


def _build_result(saved: CommitResult, *, created: bool) -> CallResult:
    done = "Created" if created else "Replaced"
    return CallResult(
        f"{done} `{saved.path}` ({saved.counts})",
        metadata={**saved.metadata, "created": created},
        seen={saved.path: saved.hash},
    )
