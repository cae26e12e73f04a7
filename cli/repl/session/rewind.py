"""Rewind within a conversation: to just before a message of the user, or to a step."""

from typing import TYPE_CHECKING

import typer

from ....config import exit_codes, paths
from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...prompts.choice import ask_number
from ...prompts.sync_bridge import run_sync
from ...rendering.output import echo

if TYPE_CHECKING:
    from ....memory.checkpoints.steps import MessagePoint, ThreadStep
    from ....memory.threads.record import ThreadRow
    from ....sdk.threads.file_history import PendingRestore


def choose_message(row: "ThreadRow") -> "MessagePoint":
    """Return the message that the user picks by its step; raise UsageError if there is none."""
    from ...rendering.humanize import format_age
    from ...rendering.table import show_table

    messages = _read_messages(row)
    if not messages:
        raise UsageError(t("back.nothing"), hint=t("back.nothing.hint"))
    cells = [
        [str(step), format_age(message.before.at), " ".join(message.text.split())]
        for step, message in messages.items()
    ]
    heading = t("back.said")
    show_table([t("back.number"), t("steps.at"), heading], cells, cut=[heading])
    while (chosen := ask_number(t("back.ask"))) not in messages:
        echo(t("back.unknown", steps=", ".join(map(str, messages))), err=True)
    return messages[chosen]


def find_message(row: "ThreadRow", step: int) -> "MessagePoint | None":
    """Return the user's message after this step of the conversation, if there is one."""
    return _read_messages(row).get(step)


def _read_messages(row: "ThreadRow") -> "dict[int, MessagePoint]":
    """Return the user's messages by the step before them; of several, the first."""
    from ....sdk.threads.steps import read_thread_branches

    messages = read_thread_branches(row, paths.locate_home()).messages
    by_step = {message.before.number: message for message in reversed(messages)}
    return dict(sorted(by_step.items()))


def go_back(row: "ThreadRow", place: "ThreadStep", where: str) -> bool:
    """Restore conversation and files to `place`, named `where`; return whether the user agreed."""
    from ....sdk.threads.file_history import open_leased_files
    from ....sdk.threads.steps import read_thread_branches
    from ....sdk.threads.time_travel import rewind_talk
    from ...execution import restore_files
    from ...execution.retired_cards import show_retired

    home = paths.locate_home()
    with open_leased_files(row, home) as files:
        way = restore_files.prepare_restore(files, "rewind", after=place.file_entry)
        if way and not _confirm_restore(way, where):
            return False
        if way:
            restore_files.apply_restore(way, yes=False)
        branches = read_thread_branches(row, home)
        moves = place.checkpoint_id != branches.tip
        retired = run_sync(rewind_talk(row, home, place)) if moves else ()
    echo(t("back.now", where=where), err=True)
    show_retired(retired)
    left = [
        step.number for step in branches.steps if step.number > place.number and step.checkpoint_id
    ]
    if left:
        echo(t("back.left", step=left[-1]), err=True)
    return True


def _confirm_restore(way: "PendingRestore", where: str) -> bool:
    """Show what changes in the files, and ask if anything does."""
    from ...execution import restore_files

    echo(t("back.files", where=where), err=True)
    restore_files.show_plan(way.plan)
    if way.plan.changes:
        try:
            restore_files.confirm_restore(yes=False)
        except typer.Exit as ended:
            if ended.exit_code != exit_codes.FAILED:
                raise
            return False
    return True
