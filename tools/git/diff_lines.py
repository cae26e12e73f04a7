"""The lines of the new files that a unified diff shows."""

import re
from collections.abc import Iterator

from .diff_paths import parse_diff_path

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def list_shown_lines(diff: str) -> dict[str, set[int]]:
    """Return, for each file in the diff, the numbers of the lines that it shows.

    A deleted file has its old name and the lines that it had.
    """
    lines_by_path: dict[str, set[int]] = {}
    for path, number in _walk_lines(diff):
        lines = lines_by_path.setdefault(path, set())
        if number:
            lines.add(number)
    return lines_by_path


def _walk_lines(diff: str) -> Iterator[tuple[str, int]]:
    """Yield each file with 0, then with the number of each line that it shows."""
    old = path = ""
    is_deleted = False
    at_old = at_new = left_old = left_new = 0
    for line in diff.split("\n"):
        if left_old > 0 or left_new > 0:
            if line.startswith("\\"):  # "No newline at end of file"
                continue
            if line.startswith("-"):
                if is_deleted:
                    yield path, at_old
            elif not is_deleted:
                yield path, at_new
            step_old, step_new = not line.startswith("+"), not line.startswith("-")
            at_old, left_old = at_old + step_old, left_old - step_old
            at_new, left_new = at_new + step_new, left_new - step_new
        elif line.startswith("--- "):
            old = parse_diff_path(line[4:]).removeprefix("a/")
        elif line.startswith("+++ "):
            path = parse_diff_path(line[4:])
            is_deleted = path == "/dev/null"
            path = old if is_deleted else path
            yield path, 0
        elif hunk := _HUNK.match(line):
            at_old, left_old = int(hunk[1]), int(hunk[2] or 1)
            at_new, left_new = int(hunk[3]), int(hunk[4] or 1)


def render_new_file(path: str, content: str) -> str:
    """Return a diff that adds a file; empty for an empty one."""
    lines = content.splitlines()
    added = "".join(f"+{line}\n" for line in lines)
    head = f"diff --git a/{path} b/{path}\nnew file\n--- /dev/null\n+++ b/{path}\n"
    return f"{head}@@ -0,0 +1,{len(lines)} @@\n{added}" if lines else ""
