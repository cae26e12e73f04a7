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
    paths = [resolve_write_path(run.workspace, name) for found in patches for name in found.names]
    with lock_files(*paths):
        files = PatchedFiles(run)
        files.apply_patches(patches)
        found = collect_outcomes(files)
        saved = write_all(run, [one.change for one in found])
    return _build_result(found, saved)


def _build_result(found: Sequence[PatchOutcome], saved: Sequence[CommitResult]) -> ToolResult:
    both = list(zip(found, saved, strict=True))
    diff = shorten_diff("".join(one.diff for one in saved), MAX_DIFF_LENGTH)
    backups = {one.path: one.backup for one in saved if one.backup}
    added, removed = sum(one.added for one in saved), sum(one.removed for one in saved)
    return ToolResult(
        "\n".join(line for outcome, one in both for line in _describe_file(outcome, one)),
        metadata={
            "paths": [one.path for one in saved],
            "diff": diff,
            "added": added,
            "removed": removed,
            **({"backups": backups} if backups else {}),
        },
        seen={one.path: one.hash for outcome, one in both if outcome.known},
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
