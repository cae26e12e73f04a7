"""The project's folders and files as a listing of bounded size, for the context message."""

import time
from itertools import chain

from ...tools.filesystem.text_codec import to_one_line
from ...tools.filesystem.walk import WalkEntry, walk_by_depth
from ...tools.workspace import Workspace

# Names in all, and of one folder
MAX_NAMES = 200
MAX_OF_FOLDER = 40
# A folder with more entries is data, not structure; it is not read to its end
MAX_FOLDER_ENTRIES = 2_000
# Seconds, so that a slow disk does not delay the first request
MAX_SECONDS = 0.5
TOO_MANY_FILES = "more than {count} files"
LEFT = "{count} more"
CUT = "[deeper folders are left out; `list_files` and `glob` show them]"


def describe_structure(workspace: Workspace, most_bytes: int) -> str:
    """Return a line for each folder, the project's own first; empty if there is no file.

    What git ignores, and secret files, are left out.
    """
    deadline = time.monotonic() + MAX_SECONDS
    lines, names, size = list[str](), 0, 0
    for folder, entries in walk_by_depth(workspace, largest=MAX_FOLDER_ENTRIES):
        if entries == []:
            continue
        line = _format_folder(folder, entries)
        names += min(len(entries or ()), MAX_OF_FOLDER)
        size += len(line.encode(errors="replace")) + 1
        is_full = names > MAX_NAMES or size + len(CUT) > most_bytes
        if lines and (is_full or time.monotonic() > deadline):
            return "\n".join([*lines, CUT])
        if is_full:  # even the first folder is too much
            return ""
        lines.append(line)
    return "\n".join(lines)


def _format_folder(folder: str, entries: list[WalkEntry] | None) -> str:
    name = "./" if folder == "." else f"{to_one_line(folder)}/"
    if entries is None:
        return f"{name}: {TOO_MANY_FILES.format(count=MAX_FOLDER_ENTRIES)}"
    # folders first: they say most about a project
    ordered = sorted(entries, key=lambda entry: entry.kind != "folder")
    entry_names = (to_one_line(entry.path.removeprefix(f"{folder}/")) for entry in ordered)
    rest = len(ordered) - MAX_OF_FOLDER
    visible_names = chain(
        (entry_name for entry_name, _ in zip(entry_names, range(MAX_OF_FOLDER), strict=False)),
        [LEFT.format(count=rest)] if rest > 0 else [],
    )
    return f"{name}: {', '.join(visible_names)}"
