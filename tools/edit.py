"""The tool that replaces pieces of a file's text."""

from collections.abc import Sequence

from .changed_file import Step, change_file, create_file
from .edit_requests import Edits, Request, requests_of
from .editing.change import change
from .exclusive import exclusive
from .files import written_path
from .listing import existing
from .result import ToolResult, ToolRun
from .text import as_read
from .tool import Run, tool
from .worker import in_worker

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
        return change_file(run, path, list(map(_step, requests)), "edit")


def _step(request: Request) -> Step:
    return lambda decoded, text, exact: change(
        text,
        as_read(decoded, request.old),
        as_read(decoded, request.new),
        everywhere=request.everywhere,
        exact=exact,
    )
