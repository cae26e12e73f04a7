"""The `edit` tool: replaces parts of a file's text."""

from collections.abc import Sequence

from ...cancellable_thread import run_in_worker
from ...definition import tool
from ...editing.matching.boundaries import is_indented
from ...filesystem.file_access import resolve_write_path
from ...filesystem.file_locks import lock_files
from ...filesystem.listing import resolve_existing
from ...filesystem.text_change import ChangeStep, change_file, create_file
from ...filesystem.text_codec import as_read
from ...result import CallResult
from ...tool_run import Run, ToolRun
from .edit_arguments import Edits, Replacement, parse_replacements

NOT_EMPTY = "`old_string` must be the text to replace; `write_file` replaces the whole file"


@tool("edit", paths=("file_path",))
async def edit(
    file_path: str,
    old_string: str | None = None,
    new_string: str | None = None,
    replace_all: bool = False,
    edits: Edits = None,
    *,
    run: Run,
) -> CallResult:
    """Replace pieces of a file's text."""
    requests = parse_replacements(old_string, new_string, replace_all, edits)
    return await run_in_worker(_edit_file, run, file_path, requests)


def _edit_file(run: ToolRun, file_path: str, requests: Sequence[Replacement]) -> CallResult:
    path = resolve_write_path(run.workspace, file_path)
    with lock_files(path):
        if len(requests) == 1 and not requests[0].old and requests[0].new:
            return create_file(run, path, requests[0].new, NOT_EMPTY)
        resolve_existing(run.workspace, file_path)
        indented = is_indented(path.name)
        return change_file(
            run, path, [_build_step(request, indented) for request in requests], "edit"
        )


def _build_step(request: Replacement, indented: bool) -> ChangeStep:
    from ...editing.replace import replace_text  # brings the edit engine

    return lambda decoded, text, exact: replace_text(
        text,
        as_read(decoded, request.old),
        as_read(decoded, request.new),
        everywhere=request.everywhere,
        exact=exact,
        indented=indented,
    )
