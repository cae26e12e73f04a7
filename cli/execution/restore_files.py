"""Restoring a thread's files from the terminal: the plan, the question, the result."""

import sys
from collections.abc import Mapping
from dataclasses import asdict

import typer

from ...config import exit_codes
from ...config.errors import NotInteractiveError
from ...memory.snapshots.file_version import filter_visible
from ...memory.undo.history import PLANNED
from ...memory.undo.restore import RestoreResult
from ...memory.undo.restore_plan import RestorePlan
from ...sdk.threads.file_history import PendingRestore, RestoreKind, ThreadFiles
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..prompts.choice import confirm
from ..prompts.sync_bridge import run_sync
from ..rendering.output import echo, echo_json
from ..rendering.sanitize import sanitize_line
from ..rendering.table import align_columns

NOTHING: dict[str, object] = {"files": [], "merged": [], "conflicts": []}


def finish_interrupted(files: ThreadFiles) -> RestoreResult | None:
    """Finish an interrupted restore and report it; return None if there is none."""
    finished = run_sync(files.finish_interrupted())
    if finished:
        _print_line(t("restore.finished", count=len(finished.paths)))
        _print_conflicts(finished)
    return finished


def prepare_restore(
    files: ThreadFiles, kind: RestoreKind, *, after: int = 0, force: bool = False
) -> PendingRestore | None:
    """Prepare a restore after finishing an interrupted one; return None if nothing changes."""
    finish_interrupted(files)
    return run_sync(files.plan_restore(kind, after=after, force=force))


def warn_if_interrupted(files: ThreadFiles) -> None:
    """Warn if a killed process left a restore unfinished."""
    last = files.history.get_last_entry(files.thread_id)
    if last and last.kind in PLANNED and last.state == "started":
        _print_line(t("restore.cut_short"))


def show_plan(plan: RestorePlan, *, again: bool = False, force: str = "--force") -> None:
    """Show what would happen to each file; `again`: the plan redoes what was undone.

    `force` is the option, or the whole command, that also restores what is left alone.
    """
    doubtful = _find_doubtful(plan)
    left_alone = [conflict for conflict in plan.conflicts if conflict.path not in doubtful]
    rows = [
        [_translate_verb(plan, change.path, change.kind, again), sanitize_line(change.path)]
        for change in filter_visible(plan.changes)
    ]
    rows += [
        [
            t("restore.leave"),
            sanitize_line(t("labelled", label=conflict.path, said=translate(conflict.reason))),
        ]
        for conflict in left_alone
    ]
    for line in align_columns(rows):
        _print_line(f"  {line}")
    if force and any(conflict.path in plan.skipped for conflict in left_alone):
        _print_line(t("restore.force", command=force))


def _find_doubtful(plan: RestorePlan) -> set[str]:
    """Return the paths that need a question of their own, or a note at the end."""
    return {change.path for change in plan.doubtful}


def _confirm_ownership(plan: RestorePlan) -> bool:
    """Ask whether the agent's commands made changes that others may have made, too."""
    _print_line(t("restore.doubtful"))
    rows = [
        [_translate_verb(plan, c.path, c.kind, again=False), sanitize_line(c.path)]
        for c in plan.doubtful
    ]
    for line in align_columns(rows):
        _print_line(f"  {line}")
    return confirm(t("restore.doubtful.ask"))


def confirm_restore(yes: bool) -> None:
    """Ask at a terminal; raise Exit after a no, NotInteractiveError without a terminal."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise NotInteractiveError(hint="add `--yes` to continue without asking")
    if not confirm(t("restore.ask")):
        raise typer.Exit(exit_codes.FAILED)


def apply_restore(way: PendingRestore, *, yes: bool) -> RestoreResult:
    """Apply the restore and report the result.

    Changes that others may have made while a command ran are asked about first; with `yes` and
    without a terminal they are kept.
    """
    asked = bool(way.plan.doubtful) and not yes and sys.stdin.isatty()
    if asked:
        way = run_sync(way.resolve_doubtful(ours=_confirm_ownership(way.plan)))
    restored = run_sync(way.apply())
    if restored.paths:
        key = "redo.done" if way.kind == "redo" else "restore.done"
        _print_line(t(key, count=len(restored.paths)))
    elif restored.conflicts or asked:
        _print_line(t("restore.none"))
    else:
        _print_line(t("undo.already" if way.kind == "undo" else "restore.already"))
    planned = {conflict.path for conflict in way.plan.conflicts} - _find_doubtful(way.plan)
    _print_conflicts(restored, shown_paths=planned)
    return restored


def as_mapping(restored: RestoreResult | None) -> dict[str, object]:
    """Return the result as a mapping for JSON."""
    if restored is None:
        return NOTHING
    return {
        "files": list(restored.paths),
        "merged": sorted(restored.merged),
        "conflicts": [asdict(conflict) for conflict in restored.conflicts],
    }


def print_json(mapping: Mapping[str, object]) -> None:
    """Print one JSON object on stdout."""
    echo_json(mapping)


def _translate_verb(plan: RestorePlan, path: str, kind: str, again: bool) -> str:
    if path in plan.merged:
        return t("restore.merge")
    return t("redo.modified" if again and kind == "modified" else f"restore.{kind}")


def _print_conflicts(
    restored: RestoreResult, shown_paths: frozenset[str] | set[str] = frozenset()
) -> None:
    for conflict in restored.conflicts:
        if conflict.path not in shown_paths:
            path, reason = sanitize_line(conflict.path), sanitize_line(translate(conflict.reason))
            _print_line(t("restore.left", path=path, reason=reason))


def _print_line(text: str) -> None:
    echo(text, err=True)
