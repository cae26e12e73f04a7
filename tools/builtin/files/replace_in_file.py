"""The `replace_in_file` tool: changes a file by SEARCH/REPLACE blocks."""

import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...cancellable_thread import run_in_worker
from ...definition import tool
from ...filesystem.file_access import get_stat, resolve_write_path
from ...filesystem.file_locks import lock_files
from ...filesystem.listing import resolve_existing
from ...filesystem.text_change import ChangeStep, change_file, create_file
from ...filesystem.text_codec import DecodedText, as_read
from ...result import CallResult, ToolError
from ...textedits.text_edits import TextChange
from ...tool_run import Run, ToolRun
from ...workspace import Workspace

_SEARCH = re.compile(r"(<{5,9}|-{5,9}) SEARCH>?[ \t]*")
_DIVIDER = re.compile(r"(={5,9})[ \t]*")
_REPLACE = re.compile(r"(>{5,9}|\+{5,9}) REPLACE>?[ \t]*")
_HINT = re.compile(r":start_line:[ \t]*\[?(\d{1,9})\]?[ \t]*")
_END_HINT = re.compile(r":end_line:[ \t]*\[?\d{1,9}\]?[ \t]*")
_ESCAPED = re.compile(
    r"\\(<{5,9} |={5,9}[ \t]*\Z|>{5,9} |-{5,9}( SEARCH|[ \t]*\Z)|\+{5,9} REPLACE)"
)
_NEARLY_A_MARKER = re.compile(r"\s*([<>+=-]{3,}\s*(SEARCH|REPLACE)\b.*|={5,9}\s*)", re.IGNORECASE)

FORM = (
    "a block is `<<<<<<< SEARCH`, lines of the file, `=======`, the lines that replace them, "
    "`>>>>>>> REPLACE`, every marker alone on its line"
)


@dataclass(frozen=True)
class SearchBlock:
    """One replacement of whole lines."""

    line: int
    """Where it begins in the request, from 1."""
    variants: tuple[tuple[str, str], ...]
    """What to find and what to put there; several where several lines can be the divider."""
    at: int | None = None
    """Where the file's lines begin, from 1, by a line `:start_line:` of the request."""


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


def parse_blocks(diff: str, *, has_titles: bool = True) -> list[SearchBlock]:
    """Parse the blocks, in their order; lines end with `\\n`.

    `has_titles`: whether `=======` may be a line below a title. Raises ToolError when a marker is
    missing, misspelled or inside another block.
    """
    lines = diff.replace("\r\n", "\n").split("\n")
    blocks, start = list[SearchBlock](), 0
    while start < len(lines):
        if not _SEARCH.fullmatch(lines[start]):
            _check_outside(lines[start], start)
            start += 1
            continue
        end = _find_end(lines, start)
        block, at = _without_hint(lines[start : end + 1])
        blocks.append(SearchBlock(start + 1, _list_variants(block, start, has_titles), at))
        start = end + 1
    if not blocks:
        raise ToolError(f"there is no block in `diff`: {FORM}")
    return blocks


def _check_outside(line: str, at: int) -> None:
    if _NEARLY_A_MARKER.fullmatch(line):
        raise ToolError(
            f"line {at + 1} of `diff`, `{line.strip()}`, is outside a block or misspelled; "
            f"nothing was changed: {FORM}"
        )


def _find_end(lines: list[str], start: int) -> int:
    """Find the line of the marker that ends the block."""
    for at in range(start + 1, len(lines)):
        if _REPLACE.fullmatch(lines[at]):
            return at
        if _SEARCH.fullmatch(lines[at]):
            raise ToolError(
                f"the block at line {start + 1} of `diff` has no `>>>>>>> REPLACE` before the next "
                f"SEARCH at line {at + 1}; nothing was changed. To change lines that are such "
                "markers themselves, use `edit`"
            )
    raise ToolError(
        f"the block at line {start + 1} of `diff` has no `>>>>>>> REPLACE`; nothing was changed: "
        "send it again, complete"
    )


def _without_hint(block: list[str]) -> tuple[list[str], int | None]:
    """Remove the lines `:start_line:` and `:end_line:`; return the block and its first line."""
    hint = _HINT.fullmatch(block[1])
    if hint is None:
        return block, None
    rest = block[3:] if _END_HINT.fullmatch(block[2]) else block[2:]
    return [block[0], *(rest[1:] if re.fullmatch(r"-{5,9}[ \t]*", rest[0]) else rest)], int(hint[1])


def _list_variants(block: list[str], start: int, has_titles: bool) -> tuple[tuple[str, str], ...]:
    """List every way to divide a block; prefer dividers as long as the block's marker."""
    divider_signs = {
        at: match[1] for at, line in enumerate(block) if (match := _DIVIDER.fullmatch(line))
    }
    if not divider_signs:
        raise ToolError(
            f"the block at line {start + 1} of `diff` has no `=======`; nothing was changed: {FORM}"
        )
    size = block[0].index(" ")
    dividers = [at for at, signs in divider_signs.items() if len(signs) == size] or list(
        divider_signs
    )
    halves = [(block[1:at], block[at + 1 : -1]) for at in dividers]
    halves = [half for half in halves if not _has_stray_divider(*half, has_titles)]
    if not halves:
        raise ToolError(
            f"the block at line {start + 1} of `diff` has several `=======`; nothing was changed: "
            f"{FORM}; one that is a line of the text has a backslash before it, `\\=======`"
        )
    return tuple((_join_lines(old), _join_lines(new)) for old, new in halves)


def _has_stray_divider(old: list[str], new: list[str], has_titles: bool) -> bool:
    """Return whether the new text has a divider that it hardly means as a line.

    It means one where the old text has it, too; below a title; and above a title if it is there
    again below.
    """
    dividers = [line for line in new if _DIVIDER.fullmatch(line)]
    if not dividers or any(map(_DIVIDER.fullmatch, old)):
        return False
    if not has_titles or len(dividers) == len(new):
        return True
    return new[0] in dividers and new.count(new[0]) == 1


def find_missing_divider(search: str, text: str) -> str:
    """Return the first `=======` of a SEARCH that is no line of the text; else empty."""
    lines = {line.strip() for line in text.split("\n")}
    dividers = (line.strip() for line in search.split("\n") if _DIVIDER.fullmatch(line))
    return next((line for line in dividers if line not in lines), "")


def _join_lines(lines: list[str]) -> str:
    return "".join(f"{line[1:] if _ESCAPED.match(line) else line}\n" for line in lines)
