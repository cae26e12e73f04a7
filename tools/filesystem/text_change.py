"""Changing the text of one file that the thread has read, with a report for the model."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ..result import ToolError, ToolResult
from ..textedits.compose import compose_edits
from ..textedits.text_edits import TextChange, TextEdit
from .commit import CommitResult, commit_changes
from .edit_report import format_report
from .file_access import get_stat, hash_content, read_bytes
from .file_context import FileContext
from .text_codec import DecodedText, decode_file

CHANGED = "[the file had changed since you read it: read it again before you rely on other parts]"

# a change of the file's text as it is after the steps before; the last argument: exact only
ChangeStep = Callable[[DecodedText, str, bool], TextChange]


def create_file(run: FileContext, path: Path, text: str, not_empty: str) -> ToolResult:
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


def change_file(run: FileContext, path: Path, steps: Sequence[ChangeStep], each: str) -> ToolResult:
    """Apply all steps in order, or none; `each` names one: `edit`, `block`."""
    name = run.workspace.to_relative(path)
    decoded = decode_file(run.workspace, name, read_bytes(run.workspace, path))
    seen = run.seen.get(name)
    if seen is None:
        raise ToolError(f"`{name}` has not been read yet; `read_file` it first, then edit it")
    fresh = seen == hash_content(decoded.data)
    try:
        text, changes, pieces = _apply_steps(decoded, steps, each, exact=not fresh)
    except ToolError as refusal:
        if fresh:
            raise
        raise ToolError(
            f"`{name}` has changed since you read it; read it again, then edit it. {refusal}"
        ) from refusal
    if text == decoded.text:
        raise ToolError(f"the {each}s together change nothing; nothing was written")
    saved = commit_changes(run, path, decoded, text, pieces)
    report = format_report(decoded.text, text, changes, pieces, each)
    strategies = ", ".join(dict.fromkeys(change.strategy for change in changes))
    return _build_result(
        saved, f"Edited `{name}` ({saved.counts}){report}", strategies, fresh=fresh
    )


def _apply_steps(
    decoded: DecodedText, steps: Sequence[ChangeStep], each: str, *, exact: bool
) -> tuple[str, list[TextChange], tuple[TextEdit, ...]]:
    """Apply each step to the result of the one before; return text, changes, and all edits."""
    text, changes, pieces = decoded.text, list[TextChange](), tuple[TextEdit, ...]()
    for number, step in enumerate(steps, 1):
        try:
            done = step(decoded, text, exact)
        except ToolError as refusal:
            if len(steps) == 1:
                raise
            raise ToolError(f"{each} {number} of {len(steps)}: {refusal}") from refusal
        text, pieces = done.text, compose_edits(pieces, done.edits)
        changes.append(replace(done, text=""))  # of many steps the texts would fill the memory
    return text, changes, pieces


def _build_result(saved: CommitResult, output: str, strategies: str, *, fresh: bool) -> ToolResult:
    # a file that the thread knew only in part is not known after the change either
    strategy = {"strategy": strategies} if strategies else {}
    return ToolResult(
        output if fresh else f"{output}\n{CHANGED}",
        metadata={**saved.metadata, **strategy},
        seen={saved.path: saved.hash} if fresh else {},
    )
