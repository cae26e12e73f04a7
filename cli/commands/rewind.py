"""`mcode rewind`: put a thread's files, its conversation or both back to one of its steps."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config.errors import UsageError
from ..prompts.sync_bridge import waited_for
from ..rendering.output import echo
from .threads.listing import SHORT_ID
from .undo import AsJson, Force, Thread, Yes

if TYPE_CHECKING:
    from ...memory.checkpoints.steps import Step
    from ...memory.threads.record import ThreadRow
    from ...sdk.threads.file_history import ThreadFiles, Way


def rewind(
    thread: Thread = None,
    to: Annotated[
        int | None,
        typer.Option(
            "--to", metavar="STEP", help="Step to go back to; default: list the steps and ask."
        ),
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="Restore only the files.")] = False,
    talk: Annotated[bool, typer.Option("--talk", help="Restore only the conversation.")] = False,
    both: Annotated[
        bool, typer.Option("--both", help="Restore both; this is the default.")
    ] = False,
    force: Force = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Restore files and conversation to a step.

    Later steps are kept, and you can return to them. Your own changes are kept.
    """
    from ..execution.thread_argument import which_thread

    if files + talk + both > 1:
        raise UsageError(
            "`--files`, `--talk` and `--both` cannot be used together", hint="choose one"
        )
    row = which_thread(thread)
    number = _ask_for_step(row, as_json) if to is None else to
    wish = _Wish(row, number, files=not talk, talk=not files)
    _go_back(wish, force=force, yes=yes, as_json=as_json)


@dataclass(frozen=True)
class _Wish:
    """Where to go back to, and with what."""

    row: "ThreadRow"
    number: int
    files: bool
    talk: bool


def _ask_for_step(row: "ThreadRow", as_json: bool) -> int:
    """Show the steps and ask for one; without a terminal they are all that there is to say."""
    from ..i18n.catalogs import t
    from ..prompts.choice import number
    from ..rendering.steps import show_steps

    show_steps(row, as_json=as_json)
    _tell_cut_short(row)
    if as_json:
        raise typer.Exit
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        echo(t("rewind.choose", thread=row.thread_id[:SHORT_ID]), err=True)
        raise typer.Exit
    return number(t("rewind.ask"))


def _tell_cut_short(row: "ThreadRow") -> None:
    from ...config import paths
    from ...sdk.threads.file_history import files_of
    from ..execution.restore_files import tell_cut_short

    if Path(row.folder).is_dir():
        tell_cut_short(files_of(row, paths.home()))


def _go_back(wish: _Wish, *, force: bool, yes: bool, as_json: bool) -> None:
    from ...config import paths
    from ...sdk.threads.steps import branches_of, step_of
    from ..execution import restore_files

    row, restored = wish.row, None
    with _held(wish) as files:
        step = step_of(row, paths.home(), wish.number)
        known = branches_of(row, paths.home())
        talk = wish.talk and step.checkpoint_id != known.tip
        after = step.file_entry
        way = restore_files.prepare(files, "rewind", after=after, force=force) if files else None
        _preview(wish, way, left=known.steps[-1].number if talk else None)
        if talk or (way and way.plan.changes):
            restore_files.confirm(yes)
        if way:
            restored = restore_files.go(way, yes=yes)
        if talk:
            _go_back_in_talk(row, step)
    if as_json:
        did = {"thread_id": row.thread_id, "kind": "rewind", "step": wish.number, "talk": talk}
        restore_files.print_json({**did, **restore_files.as_mapping(restored)})
    raise typer.Exit(1 if restored and restored.conflicts else 0)


@contextmanager
def _held(wish: _Wish) -> "Generator[ThreadFiles | None]":
    """Keep others from running the thread; its files, if they are meant."""
    from ...config import paths
    from ...memory.threads.lease import hold
    from ...sdk.threads.file_history import held_files

    if wish.files:
        with held_files(wish.row, paths.home()) as files:
            yield files
    else:
        with hold(paths.home(), wish.row.thread_id):
            yield None


def _preview(wish: _Wish, way: "Way | None", left: int | None) -> None:
    """`left` is the conversation's last step now; None when it stays."""
    from ..execution import restore_files
    from ..i18n.catalogs import t
    from .threads.listing import title_of

    if not way and left is None:
        echo(t("rewind.nothing", step=wish.number), err=True)
        return
    thread, title = wish.row.thread_id[:SHORT_ID], title_of(wish.row)
    echo(t("rewind.preview", thread=thread, title=title, step=wish.number), err=True)
    if way:
        restore_files.show(way.plan)
    if left is not None:
        echo(f"  {t('rewind.talk', now=left, step=wish.number)}", err=True)


def _go_back_in_talk(row: "ThreadRow", step: "Step") -> None:
    from ...config import paths
    from ..i18n.catalogs import t
    from ..lazy_imports import without_collector

    with without_collector():
        from ...sdk.threads.time_travel import rewind_talk
    waited_for(rewind_talk(row, paths.home(), step))
    echo(t("rewind.talked", step=step.number, thread=row.thread_id[:SHORT_ID]), err=True)
