"""The tool that replaces pieces of a file's text."""

from collections.abc import Sequence

from ...cancellable_thread import in_worker
from ...definition import Run, tool
from ...editing.matching.boundaries import is_indented
from ...editing.replace import change
from ...filesystem.file_access import written_path
from ...filesystem.file_locks import exclusive
from ...filesystem.listing import existing
from ...filesystem.text_change import Step, change_file, create_file
from ...filesystem.text_codec import as_read
from ...result import ToolResult, ToolRun
from .edit_arguments import Edits, Request, requests_of

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
) -> ToolResult:
    """Replace pieces of a file's text."""
    requests = requests_of(old_string, new_string, replace_all, edits)
    return await in_worker(_edit, run, file_path, requests)


def _edit(run: ToolRun, file_path: str, requests: Sequence[Request]) -> ToolResult:
    path = written_path(run.workspace, file_path)
    with exclusive(path):
        if len(requests) == 1 and not requests[0].old and requests[0].new:
            return create_file(run, path, requests[0].new, NOT_EMPTY)
        existing(run.workspace, file_path)
        indented = is_indented(path.name)
        return change_file(run, path, [_step(one, indented) for one in requests], "edit")


def _step(request: Request, indented: bool) -> Step:
    return lambda decoded, text, exact: change(
        text,
        as_read(decoded, request.old),
        as_read(decoded, request.new),
        everywhere=request.everywhere,
        exact=exact,
        indented=indented,
    )
