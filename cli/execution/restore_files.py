"""Put a thread's files back from the terminal: what would happen, the question, what was done."""

import sys
from collections.abc import Mapping
from dataclasses import asdict

import typer

from ...config.errors import NobodyHere
from ...memory.snapshots.file_version import visible
from ...memory.undo.history import RESTORES
from ...memory.undo.restore import Restored
from ...memory.undo.restore_plan import Plan
from ...sdk.threads.file_history import Kind, ThreadFiles, Way
from ..i18n.catalogs import t
from ..i18n.message_translation import told
from ..prompts.choice import agreed
from ..prompts.sync_bridge import waited_for
from ..rendering.output import echo, echo_json
from ..rendering.sanitize import safe_line
from ..rendering.table import aligned

NOTHING: dict[str, object] = {"files": [], "merged": [], "conflicts": []}


def finish(files: ThreadFiles) -> Restored | None:
    """Finish a restore that was cut short, and say so; None when there is none."""
    finished = waited_for(files.finish_interrupted())
    if finished:
        _say(t("restore.finished", count=len(finished.paths)))
        _say_conflicts(finished)
    return finished


def prepare(files: ThreadFiles, kind: Kind, *, after: int = 0, force: bool = False) -> Way | None:
    """The way back, after a restore that was cut short has been finished; None: nothing to do."""
    finish(files)
    return waited_for(files.way(kind, after=after, force=force))


def tell_cut_short(files: ThreadFiles) -> None:
    """Say so when a kill has cut a restore short and it was not finished yet."""
    last = files.history.last(files.thread_id)
    if last and last.kind in RESTORES and last.state == "started":
        _say(t("restore.cut_short"))


def show(plan: Plan, *, again: bool = False) -> None:
    """Say what would happen to each file; `again`: what was taken back is done anew."""
    rows = [
        [_verb(plan, change.path, change.kind, again), safe_line(change.path)]
        for change in visible(plan.changes)
    ]
    rows += [
        [t("restore.leave"), safe_line(t("labelled", label=one.path, said=told(one.reason)))]
        for one in plan.conflicts
        if one.path not in _doubtful(plan)
    ]
    for line in aligned(rows):
        _say(f"  {line}")
    if plan.conflicts:
        _say(t("restore.force"))


def _doubtful(plan: Plan) -> set[str]:
    """What will be asked about apart, or else be said at the end."""
    return {change.path for change in plan.doubtful}


def _is_ours(plan: Plan) -> bool:
    """Ask whether the agent's commands have done what others may have done, too."""
    _say(t("restore.doubtful"))
    rows = [[_verb(plan, c.path, c.kind, again=False), safe_line(c.path)] for c in plan.doubtful]
    for line in aligned(rows):
        _say(f"  {line}")
    return agreed(t("restore.doubtful.ask"))


def confirm(yes: bool) -> None:
    """Ask at a terminal; raises Exit when the answer is no, NobodyHere when there is no human."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise NobodyHere(hint="add `--yes` to continue without asking")
    if not agreed(t("restore.ask")):
        raise typer.Exit(1)


def go(way: Way, *, yes: bool) -> Restored:
    """Carry it out and say what was done.

    What others may have done while a command ran is asked about first; with `yes` and without a
    terminal it is kept.
    """
    asked = bool(way.plan.doubtful) and not yes and sys.stdin.isatty()
    if asked:
        way = waited_for(way.decide(ours=_is_ours(way.plan)))
    restored = waited_for(way.go())
    if restored.paths:
        key = "redo.done" if way.kind == "redo" else "restore.done"
        _say(t(key, count=len(restored.paths)))
    elif restored.conflicts or asked:
        _say(t("restore.none"))
    else:
        _say(t("undo.already" if way.kind == "undo" else "restore.already"))
    planned = {conflict.path for conflict in way.plan.conflicts} - _doubtful(way.plan)
    _say_conflicts(restored, said=planned)
    return restored


def as_mapping(restored: Restored | None) -> dict[str, object]:
    """What was done, for programs."""
    if restored is None:
        return NOTHING
    return {
        "files": list(restored.paths),
        "merged": sorted(restored.merged),
        "conflicts": [asdict(conflict) for conflict in restored.conflicts],
    }


def print_json(mapping: Mapping[str, object]) -> None:
    """One JSON object on stdout."""
    echo_json(mapping)


def _verb(plan: Plan, path: str, kind: str, again: bool) -> str:
    if path in plan.merged:
        return t("restore.merge")
    return t("redo.modified" if again and kind == "modified" else f"restore.{kind}")


def _say_conflicts(restored: Restored, said: frozenset[str] | set[str] = frozenset()) -> None:
    for conflict in restored.conflicts:
        if conflict.path not in said:
            path, reason = safe_line(conflict.path), safe_line(told(conflict.reason))
            _say(t("restore.left", path=path, reason=reason))


def _say(text: str) -> None:
    echo(text, err=True)
