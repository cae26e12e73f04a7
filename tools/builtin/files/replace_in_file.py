"""The tool that changes a file by SEARCH/REPLACE blocks."""

import stat
from collections.abc import Sequence
from pathlib import Path

from ...cancellable_thread import in_worker
from ...definition import Run, tool
from ...editing.replace import change
from ...editing.search_replace_blocks import Block, parse_blocks
from ...filesystem.file_access import stat_of, written_path
from ...filesystem.file_locks import exclusive
from ...filesystem.listing import existing
from ...filesystem.text_change import Step, change_file, create_file
from ...filesystem.text_codec import Decoded, as_read
from ...result import ToolRefusal, ToolResult, ToolRun
from ...textedits.text_edits import Change
from ...workspace import Workspace

NOT_EMPTY = "an empty SEARCH only makes a new file; show the lines to replace"
TWO_READINGS = (
    "the block at line {line} of `diff` has several `=======`, and for {count} of them what stands "
    "above is in the file; use `edit`, which needs no such line"
)
TERMS = {"`old_string`": "SEARCH", "`new_string`": "REPLACE", ", or set `replace_all`": ""}


@tool("edit", paths=("path",))
async def replace_in_file(path: str, diff: str, *, run: Run) -> ToolResult:
    """Change a file by SEARCH/REPLACE blocks."""
    return await in_worker(_replace, run, path, diff)


def _replace(run: ToolRun, path: str, diff: str) -> ToolResult:
    blocks = parse_blocks(diff)
    found = written_path(run.workspace, path)
    with exclusive(found):
        if _is_made(run.workspace, found, blocks[0]):
            return create_file(run, found, _new_text(blocks), NOT_EMPTY)
        existing(run.workspace, path)
        return change_file(run, found, list(map(_step, blocks)), "block")


def _is_made(workspace: Workspace, path: Path, first: Block) -> bool:
    """Whether the blocks make a file, or fill an empty one."""
    found = stat_of(workspace, path)
    empty = found is None or (stat.S_ISREG(found.st_mode) and not found.st_size)
    return empty and not first.readings[0][0].strip()


def _new_text(blocks: Sequence[Block]) -> str:
    """The first block's lines, after what the others change in them."""
    text = blocks[0].readings[0][1]
    for step in map(_step, blocks[1:]):
        text = step(Decoded(""), text, False).text
    return text


def _step(block: Block) -> Step:
    def step(decoded: Decoded, text: str, exact: bool) -> Change:
        fitting, refusals = list[Change](), list[ToolRefusal]()
        for search, replace in block.readings:
            try:
                line = _line_now(decoded.text, text, block.at)
                fitting.append(_change(decoded, text, search, replace, exact, line))
            except ToolRefusal as refusal:
                refusals.append(refusal)
        if len(fitting) > 1:
            raise ToolRefusal(TWO_READINGS.format(line=block.line, count=len(fitting)))
        if not fitting:
            raise refusals[0]
        return fitting[0]

    return step


def _line_now(before: str, text: str, line: int | None) -> int | None:
    """A line of the file in the text that earlier blocks made; None where they changed it."""
    lines = before.split("\n")
    if line is None or not 0 < line <= len(lines):
        return None
    above, below = "\n".join(lines[:line]), "\n".join(lines[line - 1 :])
    if text.startswith(above):
        return line
    if text.endswith("\n" + below):
        return text.count("\n", 0, len(text) - len(below)) + 1
    return None


def _change(
    decoded: Decoded, text: str, search: str, replace: str, exact: bool, line: int | None
) -> Change:
    if not search:
        raise ToolRefusal(NOT_EMPTY)
    old, new = as_read(decoded, search), as_read(decoded, replace)
    try:
        return change(text, old, new, exact=exact, whole_lines=True, line=line)
    except ToolRefusal as refusal:
        raise ToolRefusal(_in_terms_of_blocks(str(refusal))) from refusal


def _in_terms_of_blocks(refusal: str) -> str:
    for name, term in TERMS.items():
        refusal = refusal.replace(name, term)
    return refusal
