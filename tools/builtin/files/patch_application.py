"""A patch applied to all of its files, or to none."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...editing.patch.parser import parse_patch
from ...editing.patch.patch_overlay import FileContent, PatchedFiles
from ...filesystem.commit import MAX_DIFF_LENGTH, CommitResult, PreparedChange, prepare_removal
from ...filesystem.file_access import find_missing_folders, resolve_write_path, stat_writable
from ...filesystem.file_locks import lock_files
from ...filesystem.text_codec import decode_text
from ...filesystem.transaction import TransactionChange, write_all
from ...result import CallResult, ToolError
from ...textedits.unified_diff import build_diff, build_git_header, shorten_diff
from ...tool_run import ToolRun
from ...workspace import Workspace

CHANGED = "  [it had changed since you read it: read it again before you rely on other parts]"


@dataclass(frozen=True)
class PatchOutcome:
    """The change of one file by a whole patch."""

    change: TransactionChange
    action: str
    """`created`, `edited`…; empty for the old name of a file that moves."""
    content: FileContent | None
    """What it holds then; None when it is removed."""
    known: bool
    """Whether the thread knows all of it then."""


def collect_outcomes(files: PatchedFiles) -> list[PatchOutcome]:
    """Collect the changes of files, in the patch's order; raise ToolError if there are none."""
    workspace, outcomes = files.run.workspace, list[PatchOutcome]()
    moved = {content.name for content in files.after.values() if content and content.like}
    for path, after in files.after.items():
        before = files.before[path]
        if after and not _is_same(before, after):
            outcomes.append(
                _build_write(workspace, path, before, after, is_known=files.has_seen(after))
            )
        elif before and not after:
            outcomes.append(_build_removal(workspace, path, before, moved=before.name in moved))
    if not outcomes:
        raise ToolError("the patch changes nothing; nothing was written")
    return outcomes


def _is_same(before: FileContent | None, after: FileContent) -> bool:
    if before is None or before.bytes != after.bytes:
        return False
    return after.executable in (None, _is_executable(before.like))


def _is_executable(file_stat: os.stat_result | None) -> bool:
    return bool(file_stat and file_stat.st_mode & 0o111)


def _build_removal(
    workspace: Workspace, path: Path, before: FileContent, *, moved: bool
) -> PatchOutcome:
    prepared = prepare_removal(workspace, path, before.data)
    if moved:  # the diff of the new name shows it
        return PatchOutcome(TransactionChange(replace(prepared, diff="")), "", None, False)
    if not before.data:
        diff = build_git_header(prepared.name, prepared.name, ["deleted file mode 100644"])
        prepared = replace(prepared, diff=diff)
    return PatchOutcome(TransactionChange(prepared), "removed", None, False)


def _build_write(
    workspace: Workspace,
    path: Path,
    before: FileContent | None,
    after: FileContent,
    *,
    is_known: bool,
) -> PatchOutcome:
    name, there = workspace.to_relative(path), stat_writable(workspace, path)
    words, diff = _describe_change(name, before, after)
    prepared = PreparedChange(
        path,
        name,
        before.data if before else None,
        after.bytes,
        diff,
        there or after.like,
        tuple(find_missing_folders(workspace, path)),
    )
    return PatchOutcome(TransactionChange(prepared, after.executable), words, after, is_known)


def _describe_change(name: str, before: FileContent | None, after: FileContent) -> tuple[str, str]:
    """Describe what happens to a file, and build its diff."""
    if before:
        same = before.bytes == after.bytes
        header = build_git_header(name, name, _format_modes(before, after))
        diff = "" if same else build_diff(before.text, after.text, name)
        return "mode changed" if same else "edited", header + diff
    if not after.like:
        made = ["new file mode 100755"] if after.executable else []
        header = build_git_header(
            name, name, made or ([] if after.text else ["new file mode 100644"])
        )
        return "created", header + (build_diff(None, after.text, name) if after.text else "")
    header = build_git_header(after.name, name, _format_modes(after, after))
    parts = after.edits
    diff = (
        build_diff(
            decode_text(after.data, after.encoding).text, after.text, name, parts, after.name
        )
        if parts
        else ""
    )
    return f"moved from `{after.name}`", header + diff


def _format_modes(before: FileContent, after: FileContent) -> list[str]:
    """Format git's lines about a changed mode."""
    was = _is_executable(before.like)
    if after.executable in (None, was):
        return []
    return [f"{when} mode 100{755 if it else 644}" for when, it in (("old", was), ("new", not was))]


def apply_to_files(run: ToolRun, patch: str) -> CallResult:
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


def _build_result(outcomes: Sequence[PatchOutcome], saved: Sequence[CommitResult]) -> CallResult:
    both = list(zip(outcomes, saved, strict=True))
    diff = shorten_diff("".join(result.diff for result in saved), MAX_DIFF_LENGTH)
    backups = {result.path: result.backup for result in saved if result.backup}
    added, removed = sum(result.added for result in saved), sum(result.removed for result in saved)
    return CallResult(
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
        f"  [hunk {number} did not match exactly and was adapted: {'; '.join(change.adapted)}]"
        for number, change in enumerate(changes, 1)
        if change.adapted
    ]
    return [*lines, CHANGED] if changes and not outcome.known else lines
