"""Tool calls as a client shows them: title, kind, places in files, output and diffs."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...tools.git.diff_paths import parse_diff_path
from ...tools.tool_table import TOOLS
from ..rendering.sanitize import sanitize_line
from ..rendering.tool_summary import format_call

# Characters of a call's output that a client is sent; its end says how a command ended
MAX_OUTPUT = 20_000
_KINDS = {
    "read": "read",
    "fetch": "fetch",
    "edit": "edit",
    "execute": "execute",
    "talk": "other",
    "note": "think",
}
_OTHER_KINDS = {
    "glob": "search",
    "grep": "search",
    "search_memory": "search",
    "find_tools": "search",
    "plan_enter": "switch_mode",
    "plan_exit": "switch_mode",
}
_PATHS = ("path", "file_path")
_FILE = re.compile(r"^(?:---|\+\+\+) (.*)$")
_HUNK = re.compile(r"^@@ -\d+(?:,(?P<old>\d+))? \+(?P<line>\d+)(?:,(?P<new>\d+))? @@")


class FileChange(NamedTuple):
    """The changed lines of one place in a file, with those around them."""

    path: str
    """Relative to the project."""
    line: int
    old: str | None
    """None: the file is new."""
    new: str


def get_kind(tool: str) -> str:
    """Return the kind of a tool that a client chooses its picture by."""
    entry = TOOLS.get(tool)
    return _OTHER_KINDS.get(tool) or (_KINDS[entry.effect] if entry else "other")


def format_title(tool: str, args: Mapping[str, Any], agent: str = "") -> str:
    """Return the call on one line, with the sub-agent that makes it."""
    title = sanitize_line(format_call(tool, args))
    return f"[{agent}] {title}" if agent else title


def find_locations(args: Mapping[str, Any], folder: str) -> list[dict[str, Any]]:
    """Return the files that a call names, by absolute paths."""
    line = args.get("start_line")
    place = {"line": line} if isinstance(line, int) and line > 0 else {}
    names = [value for name in _PATHS if isinstance(value := args.get(name), str) and value]
    return [{"path": make_absolute(name, folder), **place} for name in names]


def make_absolute(path: str, folder: str) -> str:
    """Return the absolute path of a file of the project."""
    return os.path.normpath(os.path.join(folder, path))


def text_content(words: str) -> dict[str, Any]:
    """Return a text as content of a call; of a long one its end."""
    if len(words) > MAX_OUTPUT:
        words = f"… {len(words) - MAX_OUTPUT:,} characters before …\n{words[-MAX_OUTPUT:]}"
    return {"type": "content", "content": {"type": "text", "text": words}}


def diff_content(diff: str, folder: str, version: int) -> list[dict[str, Any]]:
    """Return a unified diff as content: as a patch, or for version 1 each change by its lines."""
    parsed = parse_diff(diff)
    if version == 1:
        return [
            {
                "type": "diff",
                "path": make_absolute(change.path, folder),
                "oldText": change.old,
                "newText": change.new,
            }
            for change in parsed
        ]
    files = {change.path: change.old is None for change in parsed}
    changes = [
        {"operation": "add" if is_new else "modify", "path": make_absolute(path, folder)}
        for path, is_new in files.items()
    ]
    patch = {"format": "git_patch", "text": diff}
    return [{"type": "diff", "changes": changes, "patch": patch}] if changes else []


def parse_diff(diff: str) -> list[FileChange]:
    """Split a unified diff into its changes; what is not understood is left out."""
    changes, names = list[FileChange](), ["", ""]
    rows = iter(diff.split("\n"))
    for row in rows:
        if match := _FILE.match(row):
            names[row.startswith("+++")] = _read_name(match[1])
        elif match := _HUNK.match(row):
            hunk = _take_hunk(rows, int(match["old"] or 1), int(match["new"] or 1))
            changes.append(_build_change(names, int(match["line"]), hunk))
    return changes


def _take_hunk(rows: Iterator[str], old: int, new: int) -> list[str]:
    """Take the rows of a hunk by its counts, as any text may stand in it."""
    hunk = list[str]()
    while old > 0 or new > 0:
        row = next(rows, None)
        if row is None:
            break
        old -= row[:1] != "+" and row[:1] != "\\"
        new -= row[:1] != "-" and row[:1] != "\\"
        hunk.append(row)
    return hunk


def _read_name(words: str) -> str:
    """Return the file of a header's line; empty for `/dev/null`."""
    name = parse_diff_path(words).removeprefix("a/")
    return "" if name == "/dev/null" else name


def _build_change(names: Sequence[str], line: int, hunk: Sequence[str]) -> FileChange:
    old = "".join(f"{row[1:]}\n" for row in hunk if row[:1] in (" ", "-"))
    new = "".join(f"{row[1:]}\n" for row in hunk if row[:1] in (" ", "+"))
    return FileChange(names[1] or names[0], line, old if names[0] else None, new)
