"""Going back inside a conversation: to just before something that the human said, or to a step."""

from typing import TYPE_CHECKING

import typer

from ..config import paths
from ..config.errors import UsageError
from .echo import echo
from .i18n import t
from .question import number
from .waited_for import waited_for

if TYPE_CHECKING:
    from ..memory.checkpoint_steps import Message, Step
    from ..memory.thread_row import ThreadRow
    from ..sdk.thread_files import Way


def chosen_message(row: "ThreadRow") -> "Message":
    """What the human said and goes back to; raises UsageError where nothing was said."""
    from ..sdk.steps import branches_of
    from .ago import ago
    from .table import show_table

    messages = branches_of(row, paths.home()).messages
    if not messages:
        raise UsageError(t("back.nothing"), hint=t("back.nothing.hint"))
    cells = [
        [str(at), ago(one.before.at), " ".join(one.words.split())]
        for at, one in enumerate(messages, 1)
    ]
    said = t("back.said")
    show_table([t("back.number"), t("steps.at"), said], cells, cut=[said])
    while not 0 < (chosen := number(t("back.ask"))) <= len(messages):
        echo(t("back.unknown", last=len(messages)), err=True)
    return messages[chosen - 1]


def go_back(row: "ThreadRow", place: "Step", where: str) -> bool:
    """Put conversation and files back to a place, which is `where`; whether the human agreed."""
    from ..sdk.steps import branches_of
    from ..sdk.thread_files import held_files
    from ..sdk.time_travel import rewind_talk
    from . import putting_back

    home = paths.home()
    with held_files(row, home) as files:
        way = putting_back.prepare(files, "rewind", after=place.file_entry)
        if way and not _agreed(way, where):
            return False
        if way:
            putting_back.go(way)
        known = branches_of(row, home)
        if place.checkpoint_id != known.tip:
            waited_for(rewind_talk(row, home, place))
    echo(t("back.now", where=where), err=True)
    left = [one.number for one in known.steps if one.number > place.number and one.checkpoint_id]
    if left:
        echo(t("back.left", step=left[-1]), err=True)
    return True


def _agreed(way: "Way", where: str) -> bool:
    """Show what becomes of the files, and ask if that is anything."""
    from . import putting_back

    echo(t("back.files", where=where), err=True)
    putting_back.show(way.plan)
    if way.plan.changes:
        try:
            putting_back.confirm(yes=False)
        except typer.Exit as ended:
            if ended.exit_code != 1:
                raise
            return False
    return True
