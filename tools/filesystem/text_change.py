"""Changing the text of one file that the thread has read, with a report for the model."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ..result import CallResult, ToolError
from ..textedits.compose import compose_edits
from ..textedits.text_edits import TextChange, TextEdit
from ..textedits.unified_diff import find_changed_lines
from .commit import CommitResult, commit_changes
from .file_access import get_stat, hash_content, read_bytes
from .file_context import FileContext
from .line_numbers import format_lines
from .text_codec import DecodedText, decode_file, split_lines

# lines that are shown before and after a change
AROUND = 2
MAX_SHOWN = 40
# line numbers of places that are not shown
MAX_LISTED = 20
CHANGED = "[the file had changed since you read it: read it again before you rely on other parts]"

# a change of the file's text as it is after the steps before; the last argument: exact only
ChangeStep = Callable[[DecodedText, str, bool], TextChange]


def format_report(
    old: str, new: str, changes: Sequence[TextChange], pieces: Sequence[TextEdit], each: str
) -> str:
    """Format what follows "Edited `file`"; `pieces` are the edits of all changes together.

    `each` names one change: `edit`, `block`.
    """
    lines = split_lines(new)
    if not lines:
        return "; the file is empty now"
    places = _find_places(old, new, pieces, len(lines))
    visible_places = _fit_places(places)
    excerpts = [format_lines(lines[start:end], start + 1) for start, end in visible_places]
    if rest := places[len(visible_places) :]:
        starts = [start + AROUND + 1 for start, _ in rest]
        excerpts.append(f"[changed too: lines {_format_line_numbers(starts)}]")
    return "\n".join([*_describe_adapted(changes, each), "\n     …\n".join(excerpts)])


def _describe_adapted(changes: Sequence[TextChange], each: str) -> list[str]:
    """Return one line for every change that was not exact, after an empty one."""
    remarks = [""]
    for number, change in enumerate(changes, 1):
        if change.adapted:
            which = f"{each} {number}" if len(changes) > 1 else f"the {each}"
            remarks.append(
                f"[{which} did not fit exactly and was adapted: {'; '.join(change.adapted)}]"
            )
    return remarks


def _find_places(
    old: str, new: str, pieces: Sequence[TextEdit], size: int
) -> list[tuple[int, int]]:
    """Find the changed lines, from 0, with those around them; join places that touch."""
    places = list[tuple[int, int]]()
    for change in find_changed_lines(old, new, pieces):
        start, end = max(change.new_start - AROUND, 0), min(change.new_end + AROUND, size)
        if places and start <= places[-1][1]:
            start, _ = places.pop()
        places.append((start, end))
    return places


def _fit_places(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Keep as many places as may be shown, and at least the beginning of the first."""
    left, visible_places = MAX_SHOWN, list[tuple[int, int]]()
    for start, end in places:
        if end - start > left and visible_places:
            break
        visible_places.append((start, min(end, start + left)))
        left -= end - start
    return visible_places


def _format_line_numbers(lines: Sequence[int]) -> str:
    more = len(lines) - MAX_LISTED
    return ", ".join(map(str, lines[:MAX_LISTED])) + (f" and {more} more" if more > 0 else "")


def create_file(run: FileContext, path: Path, text: str, not_empty: str) -> CallResult:
    """Create a file or fill an empty one; `not_empty` explains the refusal of another."""
    name = run.workspace.to_relative(path)
    old = (
        decode_file(run.workspace, name, read_bytes(run.workspace, path))
        if get_stat(run.workspace, path)
        else None
    )
    if old and old.text:
        raise ToolError(f"`{name}` exists and is not empty: {not_empty}")
    saved = commit_changes(run, path, old, text)
    return _build_result(saved, f"Created `{name}` ({saved.counts})", "", fresh=True)


def change_file(run: FileContext, path: Path, steps: Sequence[ChangeStep], each: str) -> CallResult:
    """Apply all steps in order, or none; `each` names one: `edit`, `block`."""
    name = run.workspace.to_relative(path)
    decoded = decode_file(run.workspace, name, read_bytes(run.workspace, path))
    seen = run.seen.get(name)
    if seen is None:
        raise ToolError(f"`{name}` has not been read yet; `read_file` it first, then edit it")
    fresh = seen == hash_content(decoded.data)
    try:
        text, changes, parts = _apply_steps(decoded, steps, each, exact=not fresh)
    except ToolError as refusal:
        if fresh:
            raise
        raise ToolError(
            f"`{name}` has changed since you read it; read it again, then edit it. {refusal}"
        ) from refusal
    if text == decoded.text:
        raise ToolError(f"the {each}s together change nothing; nothing was written")
    saved = commit_changes(run, path, decoded, text, parts)
    report = format_report(decoded.text, text, changes, parts, each)
    strategies = ", ".join(dict.fromkeys(change.strategy for change in changes))
    return _build_result(
        saved, f"Edited `{name}` ({saved.counts}){report}", strategies, fresh=fresh
    )


def _apply_steps(
    decoded: DecodedText, steps: Sequence[ChangeStep], each: str, *, exact: bool
) -> tuple[str, list[TextChange], tuple[TextEdit, ...]]:
    """Apply each step to the result of the one before; return text, changes, and all edits."""
    text, changes, parts = decoded.text, list[TextChange](), tuple[TextEdit, ...]()
    for number, step in enumerate(steps, 1):
        try:
            done = step(decoded, text, exact)
        except ToolError as refusal:
            if len(steps) == 1:
                raise
            explained = _explain_on_file(decoded, step, refusal, each, exact=exact)
            raise ToolError(
                f"{each} {number} of {len(steps)}: {explained}\n"
                f"None of the {len(steps)} {each}s was applied: the file is as it was"
            ) from refusal
        text, parts = done.text, compose_edits(parts, done.edits)
        changes.append(replace(done, text=""))  # of many steps the texts would fill the memory
    return text, changes, parts


def _explain_on_file(
    decoded: DecodedText, step: ChangeStep, refusal: ToolError, each: str, *, exact: bool
) -> str:
    """Explain a refused step by the lines of the file as it is, not as the steps before made it."""
    try:
        step(decoded, decoded.text, exact)
    except ToolError as on_file:
        return str(on_file)
    return f"{refusal}\n(An earlier {each} of this call changes that place.)"


def _build_result(saved: CommitResult, output: str, strategies: str, *, fresh: bool) -> CallResult:
    # a file that the thread knew only in part is not known after the change either
    strategy = {"strategy": strategies} if strategies else {}
    return CallResult(
        output if fresh else f"{output}\n{CHANGED}",
        metadata={**saved.metadata, **strategy},
        seen={saved.path: saved.hash} if fresh else {},
    )
