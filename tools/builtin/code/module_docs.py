"""The tools `module_doc_read` and `module_doc_write`: the notes on a folder, in `.ac.mod.md`."""

from collections.abc import Mapping

from ...cancellable_thread import run_in_worker
from ...definition import tool
from ...filesystem.file_access import get_stat
from ...result import CallResult, ToolError
from ...tool_run import Run, ToolRun
from ..files.read_file import read_text_file

FILE_NAME = ".ac.mod.md"


def list_doc_paths(args: Mapping[str, object]) -> list[str]:
    """Return the file that a call is about."""
    path = args.get("path") or "."
    return [_locate_doc(path)] if isinstance(path, str) else []


def _locate_doc(path: str) -> str:
    """Return the file of notes; `path` is its folder, or the file itself."""
    place = path if path.strip("/") == "" else path.rstrip("/")
    is_file = place.rpartition("/")[2] == FILE_NAME
    return place if is_file else f"{place or '.'}/{FILE_NAME}"


@tool("read", paths=list_doc_paths, shows=True)
async def module_doc_read(path: str = ".", *, run: Run) -> CallResult:
    """Read a folder's notes."""
    return await run_in_worker(_read_doc, run, path)


@tool("edit", paths=list_doc_paths)
async def module_doc_write(path: str, content: str, *, run: Run) -> CallResult:
    """Write a folder's notes."""
    from ..files.write_file import write_text_file

    return await run_in_worker(write_text_file, run, _locate_doc(path), content)


def _read_doc(run: ToolRun, path: str) -> CallResult:
    name = _locate_doc(path)
    doc_path = run.workspace.resolve(name)
    if get_stat(run.workspace, doc_path) is None:
        folder = get_stat(run.workspace, doc_path.parent)
        if folder is None:
            raise ToolError(f"`{path}` does not exist; `list_files` shows the folders")
        relative_path = run.workspace.to_relative(doc_path)
        return CallResult(
            f"There is no `{relative_path}`: nobody has written notes on this folder."
        )
    return read_text_file(run.workspace, name)
