"""The `read_file` tool: shows a text file with line numbers, or an image."""

import asyncio
from collections.abc import Sequence

from ...definition import tool
from ...encodings.guess import UNKNOWN
from ...filesystem.file_access import hash_content, read_bytes, translate_os_errors
from ...filesystem.line_numbers import MAX_LINE_LENGTH, format_lines
from ...filesystem.listing import resolve_existing
from ...filesystem.text_codec import DecodedText, decode_file, split_lines, to_printable
from ...result import IMAGES, CallResult, ToolError
from ...tool_run import Run, ToolRun
from ...workspace import Workspace

MAX_LINES = 2_000
# of the lines that are shown, with their numbers
MAX_BYTES = 56_000

_SET = "by the user's settings"
_STATED = "by `.gitattributes` or `.editorconfig`"
_NOT_CERTAIN = (
    "[the encoding is not certain: bytes beyond ASCII are shown as \\x and two digits, and only "
    "ASCII can be written; ask the user to set `encoding` for this file]"
)


@tool("read", paths=("path",), shows=True)
async def read_file(
    path: str, start_line: int = 1, end_line: int | None = None, *, run: Run
) -> CallResult:
    """Show a text file or an image."""
    if not 1 <= start_line <= (start_line if end_line is None else end_line):
        raise ToolError("lines count from 1, and `end_line` must not be before `start_line`")
    workspace = run.workspace.select_readable(path)
    from ...filesystem.images import has_image_suffix

    if has_image_suffix(path):
        image = await asyncio.to_thread(_read_image, run, workspace, path)
        if image:
            return image
    return await asyncio.to_thread(read_text_file, workspace, path, start_line, end_line)


def _read_image(run: ToolRun, workspace: Workspace, path: str) -> CallResult | None:
    """Show an image to the model; None if the file is no image."""
    from ...filesystem.images import MAX_IMAGE_BYTES, describe_image, detect_image, store_image

    image_path = resolve_existing(workspace, path)
    data = read_bytes(workspace, image_path)
    name = workspace.to_shown(workspace.to_relative(image_path))
    if not detect_image(data):
        return None
    if len(data) > MAX_IMAGE_BYTES:
        raise ToolError(f"`{name}` is an image of over {MAX_IMAGE_BYTES:,} bytes; make it smaller")
    with translate_os_errors(f"`{name}` could not be kept"):
        images = [store_image(run.outputs, name, data)]
    return CallResult(
        describe_image(name, data),
        metadata={"path": name, IMAGES: images},
        seen={} if workspace.is_outside else {name: hash_content(data)},
    )


def read_text_file(
    workspace: Workspace, path: str, start: int = 1, end: int | None = None
) -> CallResult:
    """Read lines of a text file, numbered, with remarks on what is left out."""
    resolved_path = resolve_existing(workspace, path)
    data = read_bytes(workspace, resolved_path)
    relative_name = workspace.to_relative(resolved_path)
    decoded, name = decode_file(workspace, relative_name, data), workspace.to_shown(relative_name)
    lines = split_lines(decoded.text)
    if start > max(len(lines), 1):
        raise ToolError(f"`{name}` has only {len(lines):,} lines")
    visible_lines = lines[start - 1 : start - 1 + _count_fitting(lines[start - 1 : end], start)]
    remarks = _collect_remarks(decoded, lines, visible_lines, start, end)
    stated = workspace.find_encoding(relative_name)
    reason = _SET if workspace.find_set_encoding(relative_name) else _STATED
    remarks += _collect_encoding_remarks(decoded, stated, reason)
    output = "\n".join([*([format_lines(visible_lines, start)] if visible_lines else []), *remarks])
    seen = {} if workspace.is_outside else {name: hash_content(data)}
    return CallResult(output, metadata={"path": name}, seen=seen)


def _count_fitting(lines: Sequence[str], start: int) -> int:
    """Count the lines, numbered from `start`, that fit into one answer."""
    left = MAX_BYTES
    for count, line in enumerate(lines[:MAX_LINES]):
        left -= len(format_lines([line], start + count).encode()) + len("\n")
        if left < 0:
            return count
    return min(len(lines), MAX_LINES)


def _collect_remarks(
    decoded: DecodedText,
    lines: Sequence[str],
    visible_lines: Sequence[str],
    start: int,
    end: int | None,
) -> list[str]:
    last, total = start + len(visible_lines) - 1, len(lines)
    remarks = list[str]()
    if not lines:
        remarks.append("[the file is empty]")
    elif last < min(end or total, total):
        remarks.append(f"[lines {start} to {last} of {total}; go on with start_line={last + 1}]")
    elif len(visible_lines) < total:
        remarks.append(f"[lines {start} to {last} of {total}]")
    if any(len(line) > MAX_LINE_LENGTH for line in visible_lines):
        remarks.append(
            f"[lines are cut at {MAX_LINE_LENGTH:,} characters; `grep` shows other parts]"
        )
    return remarks


def _collect_encoding_remarks(decoded: DecodedText, named: str, source: str) -> list[str]:
    """Say which encoding the file has and who says so, and what is shown in place of letters."""
    remarks = list[str]()
    if named not in ("", decoded.encoding) and not decoded.data.isascii():
        remarks.append(f"[{named}, {source}, does not fit the bytes]")
    if decoded.encoding == UNKNOWN:
        return [*remarks, _NOT_CERTAIN]
    if decoded.encoding != "utf-8":
        names = " or ".join((decoded.encoding, *decoded.alternatives))
        reason = source if decoded.encoding == named else "by the bytes"
        remarks.append(f"[encoding, {reason}: {names}; it is kept when the file is changed]")
    if to_printable(decoded.text) != decoded.text:
        remarks.append(
            f"[bytes that are not {decoded.encoding.upper()} are shown as \\x and two digits]"
        )
    return remarks
