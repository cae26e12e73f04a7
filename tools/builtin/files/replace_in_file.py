"""The `replace_in_file` tool: changes a file by SEARCH/REPLACE blocks."""

import stat
from collections.abc import Sequence
from pathlib import Path

from ...cancellable_thread import run_in_worker
from ...definition import tool
from ...editing.search_replace_blocks import SearchBlock, find_missing_divider, parse_blocks
from ...filesystem.file_access import get_stat, resolve_write_path
from ...filesystem.file_locks import lock_files
from ...filesystem.listing import resolve_existing
from ...filesystem.text_change import ChangeStep, change_file, create_file
from ...filesystem.text_codec import DecodedText, as_read
from ...result import CallResult, ToolError
from ...textedits.text_edits import TextChange
from ...tool_run import Run, ToolRun
from ...workspace import Workspace

NOT_EMPTY = "an empty SEARCH only creates a new file; show the lines to replace"
AMBIGUOUS_BLOCK = (
    "the block at line {line} of `diff` has several `=======`, and for {count} of them what stands "
    "above is in the file; use `edit`, which needs no such line"
)
NO_DIVIDER = (
    "SEARCH has the line `{line}`, and the file has none: a block has one `=======`; one that is a "
    "line of the text has a backslash before it, `\\=======`"
)
# Files in which `=======` may stand below a title
_PROSE = ("", ".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc")
TERMS = {"`old_string`": "SEARCH", "`new_string`": "REPLACE", ", or set `replace_all`": ""}


@tool("edit", paths=("path",))
async def replace_in_file(path: str, diff: str, *, run: Run) -> CallResult:
    """Change a file by SEARCH/REPLACE blocks."""
    return await run_in_worker(_replace_blocks, run, path, diff)


def _replace_blocks(run: ToolRun, path: str, diff: str) -> CallResult:
    resolved_path = resolve_write_path(run.workspace, path)
    blocks = parse_blocks(diff, has_titles=resolved_path.suffix.lower() in _PROSE)
    with lock_files(resolved_path):
        if _is_made(run.workspace, resolved_path, blocks[0]):
            return create_file(run, resolved_path, _build_new_text(blocks), NOT_EMPTY)
        resolve_existing(run.workspace, path)
        return change_file(run, resolved_path, list(map(_build_step, blocks)), "block")


def _is_made(workspace: Workspace, path: Path, first: SearchBlock) -> bool:
    """Return whether the blocks create a file, or fill an empty one."""
    file_stat = get_stat(workspace, path)
    empty = file_stat is None or (stat.S_ISREG(file_stat.st_mode) and not file_stat.st_size)
    return empty and not first.variants[0][0].strip()


def _build_new_text(blocks: Sequence[SearchBlock]) -> str:
    """Build the text of a new file: the first block's lines, changed by the others."""
    text = blocks[0].variants[0][1]
    for step in map(_build_step, blocks[1:]):
        text = step(DecodedText(""), text, False).text
    return text


def _build_step(block: SearchBlock) -> ChangeStep:
    def apply_block(decoded: DecodedText, text: str, exact: bool) -> TextChange:
        fitting, refusals = list[TextChange](), list[ToolError]()
        for search, replace in block.variants:
            try:
                line = _find_current_line(decoded.text, text, block.at)
                fitting.append(_change_text(decoded, text, search, replace, exact, line))
            except ToolError as refusal:
                refusals.append(refusal)
        if len(fitting) > 1:
            raise ToolError(AMBIGUOUS_BLOCK.format(line=block.line, count=len(fitting)))
        if not fitting:
            raise refusals[0]
        return fitting[0]

    return apply_block


def _find_current_line(before: str, text: str, line: int | None) -> int | None:
    """Find a line of the file in the text after earlier blocks; None if these changed it."""
    lines = before.split("\n")
    if line is None or not 0 < line <= len(lines):
        return None
    above, below = "\n".join(lines[:line]), "\n".join(lines[line - 1 :])
    if text.startswith(above):
        return line
    if text.endswith("\n" + below):
        return text.count("\n", 0, len(text) - len(below)) + 1
    return None


def _change_text(
    decoded: DecodedText, text: str, search: str, replace: str, exact: bool, line: int | None
) -> TextChange:
    if not search:
        raise ToolError(NOT_EMPTY)
    if missing := find_missing_divider(search, text):
        raise ToolError(NO_DIVIDER.format(line=missing))
    from ...editing.replace import replace_text  # brings the edit engine

    old, new = as_read(decoded, search), as_read(decoded, replace)
    try:
        return replace_text(text, old, new, exact=exact, whole_lines=True, line=line)
    except ToolError as refusal:
        raise ToolError(_translate_terms(str(refusal))) from refusal


def _translate_terms(refusal: str) -> str:
    for name, term in TERMS.items():
        refusal = refusal.replace(name, term)
    return refusal
