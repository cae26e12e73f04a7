"""`mcode rewind`: put a thread's files, its conversation or both back to one of its steps."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..config.errors import UsageError
from .echo import echo
from .threads import SHORT_ID
from .undo import AsJson, Force, Thread, Yes
from .waited_for import waited_for

if TYPE_CHECKING:
    from ..memory.checkpoint_steps import Step
    from ..memory.thread_row import ThreadRow
    from ..sdk.thread_files import ThreadFiles, Way


def rewind(
    thread: Thread = None,
    to: Annotated[
        int | None, typer.Option("--to", metavar="STEP", help="Default: show the steps and ask.")
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="Only the files.")] = False,
    talk: Annotated[bool, typer.Option("--talk", help="Only the conversation.")] = False,
    both: Annotated[bool, typer.Option("--both", help="Both, as without a choice.")] = False,
    force: Force = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Put files and conversation back to a step.

    Steps that are left can be gone to again, and what you changed yourself is kept.
    """
    from .which_thread import which_thread

    if files + talk + both > 1:
        raise UsageError("`--files`, `--talk` and `--both` exclude each other", hint="choose one")
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
    from .i18n import t
    from .question import number
    from .steps_view import show_steps

    show_steps(row, as_json=as_json)
    _tell_cut_short(row)
    if as_json:
        raise typer.Exit
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        echo(t("rewind.choose", thread=row.thread_id[:SHORT_ID]), err=True)
        raise typer.Exit
    return number(t("rewind.ask"))


def _tell_cut_short(row: "ThreadRow") -> None:
    from ..config import paths
    from ..sdk.thread_files import files_of
    from .putting_back import tell_cut_short

    if Path(row.folder).is_dir():
        tell_cut_short(files_of(row, paths.home()))


def _go_back(wish: _Wish, *, force: bool, yes: bool, as_json: bool) -> None:
    from ..config import paths
    from ..sdk.steps import branches_of, step_of
    from . import putting_back

    row, restored = wish.row, None
    with _held(wish) as files:
        step = step_of(row, paths.home(), wish.number)
        known = branches_of(row, paths.home())
        talk = wish.talk and step.checkpoint_id != known.tip
        after = step.file_entry
        way = putting_back.prepare(files, "rewind", after=after, force=force) if files else None
        _preview(wish, way, left=known.steps[-1].number if talk else None)
        if talk or (way and way.plan.changes):
            putting_back.confirm(yes)
        if way:
            restored = putting_back.go(way)
        if talk:
            _go_back_in_talk(row, step)
    if as_json:
        did = {"thread_id": row.thread_id, "kind": "rewind", "step": wish.number, "talk": talk}
        putting_back.print_json({**did, **putting_back.as_mapping(restored)})
    raise typer.Exit(1 if restored and restored.conflicts else 0)


@contextmanager
def _held(wish: _Wish) -> "Generator[ThreadFiles | None]":
    """Keep others from running the thread; its files, if they are meant."""
    from ..config import paths
    from ..memory.lease import hold
    from ..sdk.thread_files import held_files

    if wish.files:
        with held_files(wish.row, paths.home()) as files:
            yield files
    else:
        with hold(paths.home(), wish.row.thread_id):
            yield None


def _preview(wish: _Wish, way: "Way | None", left: int | None) -> None:
    """`left` is the conversation's last step now; None when it stays."""
    from . import putting_back
    from .i18n import t
    from .threads import title_of

    if not way and left is None:
        echo(t("rewind.nothing", step=wish.number), err=True)
        return
    thread, title = wish.row.thread_id[:SHORT_ID], title_of(wish.row)
    echo(t("rewind.preview", thread=thread, title=title, step=wish.number), err=True)
    if way:
        putting_back.show(way.plan)
    if left is not None:
        echo(f"  {t('rewind.talk', now=left, step=wish.number)}", err=True)


def _go_back_in_talk(row: "ThreadRow", step: "Step") -> None:
    from ..config import paths
    from .i18n import t
    from .importing import without_collector

    with without_collector():
        from ..sdk.time_travel import rewind_talk
    waited_for(rewind_talk(row, paths.home(), step))
    echo(t("rewind.talked", step=step.number, thread=row.thread_id[:SHORT_ID]), err=True)
