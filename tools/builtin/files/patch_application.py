"""A patch applied to all of its files, or to none."""

from collections.abc import Sequence

from ...editing.patch.parser import parse_patch
from ...editing.patch.patch_overlay import PatchedFiles
from ...filesystem.commit import MAX_DIFF_LENGTH, CommitResult
from ...filesystem.file_access import resolve_write_path
from ...filesystem.file_locks import lock_files
from ...filesystem.transaction import write_all
from ...result import ToolResult
from ...textedits.unified_diff import shorten_diff
from ...tool_run import ToolRun
from .patch_outcome import PatchOutcome, collect_outcomes

CHANGED = "  [it had changed since you read it: read it again before you rely on other parts]"


def apply_to_files(run: ToolRun, patch: str) -> ToolResult:
    """Apply the patch; raise ToolError if a part of it fits nowhere."""
    patches = parse_patch(patch)
    paths = [
        resolve_write_path(run.workspace, name)
        for file_patch in patches
        for name in file_patch.names
    ]
    with lock_files(*paths):
        files = PatchedFiles(run)
        files.apply_patches(patches)
        outcomes = collect_outcomes(files)
        saved = write_all(run, [outcome.change for outcome in outcomes])
    return _build_result(outcomes, saved)


def _build_result(outcomes: Sequence[PatchOutcome], saved: Sequence[CommitResult]) -> ToolResult:
    both = list(zip(outcomes, saved, strict=True))
    diff = shorten_diff("".join(result.diff for result in saved), MAX_DIFF_LENGTH)
    backups = {result.path: result.backup for result in saved if result.backup}
    added, removed = sum(result.added for result in saved), sum(result.removed for result in saved)
    return ToolResult(
        "\n".join(line for outcome, result in both for line in _describe_file(outcome, result)),
        metadata={
            "paths": [result.path for result in saved],
            "diff": diff,
            "added": added,
            "removed": removed,
            **({"backups": backups} if backups else {}),
        },
        seen={result.path: result.hash for outcome, result in both if outcome.known},
    )


def _describe_file(outcome: PatchOutcome, saved: CommitResult) -> list[str]:
    """Describe one file; nothing for the old name of one that moved."""
    if not outcome.action:
        return []
    lines = [f"`{saved.path}`: {outcome.action} ({saved.counts})"]
    if outcome.content is None:
        return lines
    changes = outcome.content.changes
    lines += [
        f"  [hunk {number} did not match exactly; found by {change.strategy}: "
        f"{'; '.join(change.adapted)}]"
        for number, change in enumerate(changes, 1)
        if change.adapted
    ]
    return [*lines, CHANGED] if changes and not outcome.known else lines
