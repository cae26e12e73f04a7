"""Change the text of one file that the thread has read, and tell about it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ..result import ToolRefusal, ToolResult, ToolRun
from ..textedits.compose import compose
from ..textedits.text_edits import Change, Piece
from .commit import Saved, save
from .edit_report import report
from .file_access import content_hash, read_bytes, stat_of
from .text_codec import Decoded, decode

CHANGED = "[the file had changed since you read it: read it again before you rely on other parts]"

Step = Callable[[Decoded, str, bool], Change]
"""A change of the file's text as it is after the steps before; the last argument: exact only."""


def create_file(run: ToolRun, path: Path, text: str, not_empty: str) -> ToolResult:
    """Make a file where there is none, or fill an empty one; `not_empty` says why not another."""
    name = run.workspace.relative(path)
    old = decode(read_bytes(run.workspace, path)) if stat_of(run.workspace, path) else None
    if old and old.text:
        raise ToolRefusal(f"`{name}` exists and is not empty: {not_empty}")
    saved = save(run, path, old, text)
    return _result(saved, f"Created `{name}` ({saved.counts})", "", fresh=True)


def change_file(run: ToolRun, path: Path, steps: Sequence[Step], each: str) -> ToolResult:
    """Make all steps, one after the other, or none; `each` is what one is called."""
    name = run.workspace.relative(path)
    decoded = decode(read_bytes(run.workspace, path))
    seen = run.seen.get(name)
    if seen is None:
        raise ToolRefusal(f"`{name}` has not been read yet; `read_file` it first, then edit it")
    fresh = seen == content_hash(decoded.data)
    try:
        text, changes, pieces = _changed(decoded, steps, each, exact=not fresh)
    except ToolRefusal as refusal:
        if fresh:
            raise
        raise ToolRefusal(
            f"`{name}` has changed since you read it; read it again, then edit it. {refusal}"
        ) from refusal
    if text == decoded.text:
        raise ToolRefusal(f"the {each}s together change nothing; nothing was written")
    saved = save(run, path, decoded, text, pieces)
    told = report(decoded.text, text, changes, pieces, each)
    strategies = ", ".join(dict.fromkeys(one.strategy for one in changes))
    return _result(saved, f"Edited `{name}` ({saved.counts}){told}", strategies, fresh=fresh)


def _changed(
    decoded: Decoded, steps: Sequence[Step], each: str, *, exact: bool
) -> tuple[str, list[Change], tuple[Piece, ...]]:
    """The new text; every change, each on the result of the one before; all of them as one."""
    text, changes, pieces = decoded.text, list[Change](), tuple[Piece, ...]()
    for number, step in enumerate(steps, 1):
        try:
            done = step(decoded, text, exact)
        except ToolRefusal as refusal:
            if len(steps) == 1:
                raise
            raise ToolRefusal(f"{each} {number} of {len(steps)}: {refusal}") from refusal
        text, pieces = done.text, compose(pieces, done.pieces)
        changes.append(replace(done, text=""))  # of many steps the texts would fill the memory
    return text, changes, pieces


def _result(saved: Saved, output: str, strategies: str, *, fresh: bool) -> ToolResult:
    """A file that was not known before, but for the changed places, is not known after."""
    strategy = {"strategy": strategies} if strategies else {}
    return ToolResult(
        output if fresh else f"{output}\n{CHANGED}",
        metadata={**saved.metadata, **strategy},
        seen={saved.path: saved.hash} if fresh else {},
    )
