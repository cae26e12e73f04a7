"""Edits written as SEARCH/REPLACE blocks, unified diffs and envelopes."""

from collections.abc import Sequence

from true_edit import Edit

MARKERS = ("<<<<<<<", "=======", ">>>>>>>")


def block(old: Sequence[str], new: Sequence[str]) -> str:
    """One SEARCH/REPLACE block."""
    return "\n".join(["<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])


def has_markers(edit: Edit) -> bool:
    """Whether the edit's own text could be taken for a marker."""
    return any(line.startswith(MARKERS) for line in (*edit.old, *(n.text for n in edit.new)))


def hunk_lines(edit: Edit, context: int = 3) -> tuple[list[str], int]:
    """The lines of a hunk with their signs, so many lines of context around; the first line."""
    first = max(edit.first_change - context, 0)
    body, at = list[str](), 0
    for line in edit.new:
        if line.kept is None:
            body.append(f"+{line.text}")
            continue
        body += [f"-{gone}" for gone in edit.old[at : line.kept]]
        body.append(f" {line.text}")
        at = line.kept + 1
    body += [f"-{gone}" for gone in edit.old[at:]]
    body = [f" {line}" for line in edit.lines[: edit.start]] + body
    body += [f" {line}" for line in edit.lines[edit.end :]]
    changed = [index for index, line in enumerate(body) if line[0] != " "]
    begin, end = max(changed[0] - context, 0), min(changed[-1] + 1 + context, len(body))
    return _removals_first(body[begin:end]), first + 1


def unified(path: str, hunks: Sequence[tuple[Sequence[str], str]]) -> str:
    """A patch of one file: lines and head of each hunk."""
    parts = [f"--- a/{path}", f"+++ b/{path}"]
    for lines, head in hunks:
        parts += [head, *lines]
    return "\n".join(parts) + "\n"


def head_of(lines: Sequence[str], start: int, shift: int = 0) -> str:
    """A hunk's head; `shift`: how many lines more the new text has above."""
    old = sum(line[:1] != "+" for line in lines)
    new = sum(line[:1] != "-" for line in lines)
    return f"@@ -{start},{old} +{start + shift},{new} @@"


def envelope(path: str, hunks: Sequence[tuple[Sequence[str], str]]) -> str:
    """An envelope that updates one file."""
    parts = ["*** Begin Patch", f"*** Update File: {path}"]
    for lines, head in hunks:
        parts += [head, *lines]
    return "\n".join([*parts, "*** End Patch", ""])


def _removals_first(lines: Sequence[str]) -> list[str]:
    """As a diff has them: of lines that change together those that go come first."""
    sorted_lines, run = list[str](), list[str]()
    for line in [*lines, " "]:
        if line[0] != " ":
            run.append(line)
            continue
        sorted_lines += [one for one in run if one[0] == "-"] + [
            one for one in run if one[0] == "+"
        ]
        sorted_lines.append(line)
        run = []
    return sorted_lines[:-1]
