"""`/diff`, `/undo`, `/redo`, `/rewind`, `/commit`: what this thread has changed."""

from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import typer

from ....config import exit_codes, paths
from ....config.errors import UsageError
from ....memory.threads.record import build_title
from ...commands.diff import diff as show_diff
from ...commands.undo import redo as bring_back
from ...commands.undo import undo as take_back
from ...i18n.catalogs import t
from ...prompts.choice import ask_choice, ask_label
from ...prompts.choice_keys import Choice
from ...prompts.sync_bridge import run_sync
from ...rendering.console import open_console, show_line
from ...rendering.listings.threads import open_index
from ...rendering.output import echo
from ...rendering.table import show_table
from ..session.cli_bridge import run_cli_command
from ..session.session import Session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ....memory.checkpoints.steps import MessagePoint, ThreadStep
    from ....memory.threads.record import ThreadRow
    from ....nodes.options import Options
    from ....sdk.pull_requests.user_commit import UserCommit
    from ....sdk.threads.file_history import PendingRestore


_ALL = "all"


async def show_changes(session: Session, _: str) -> None:
    """Show what the thread has changed."""
    await run_cli_command(session, partial(show_diff, require_thread_id(session)))


async def undo(session: Session, _: str) -> None:
    """Undo the file changes of the last turn."""
    await run_cli_command(session, partial(take_back, require_thread_id(session)))


async def redo(session: Session, _: str) -> None:
    """Redo what was undone."""
    await run_cli_command(session, partial(bring_back, require_thread_id(session)))


async def rewind_thread(session: Session, step: str) -> None:
    """Restore files and conversation to a step; a message after it can be edited."""
    await session.wait_for_runner()  # it has loaded the imports below
    from ....sdk.threads.steps import find_step
    from ..session.background_startup import refresh_status

    row, words = open_index().get(require_thread_id(session)), ""
    messages = _read_messages(row)
    if step:
        message = messages.get(step)
    else:
        message = await session.ask_question(partial(choose_message, messages))
    at = None if message else parse_step(step)
    if message:
        place, words = message.before, message.text
        where = t("back.before", step=place.number, words=build_title(words))
    else:
        place, where = find_step(row, session.home, at or 0), t("back.step", step=at)
    if await session.ask_question(partial(go_back, row, place, where)):
        session.left_by_hand = False
        await refresh_status(session, await session.wait_for_runner())
        if session.usage:  # its context share belongs to the abandoned steps
            session.usage = replace(session.usage, window=0)
        session.prompt.give_back(words)


def require_thread_id(session: Session) -> str:
    """Return the id of the current thread; raise UsageError if there is none yet."""
    if not session.thread:
        raise UsageError(t("slash.no_thread"), hint=t("slash.no_thread.hint"))
    return session.thread


def parse_step(words: str) -> int | None:
    """Return the number of a step, if one is named; raise UsageError for any other text."""
    if words and not words.isdecimal():
        raise UsageError(t("slash.no_step", words=words), hint=t("slash.no_step.hint"))
    return int(words) if words else None


def choose_message(messages: "Mapping[str, MessagePoint]") -> "MessagePoint":
    """Return the message that the user picks by its label; raise UsageError if there is none."""
    from ...rendering.humanize import format_age

    if not messages:
        raise UsageError(t("back.nothing"), hint=t("back.nothing.hint"))
    cells = [
        [label, format_age(message.before.at), " ".join(message.text.split())]
        for label, message in messages.items()
    ]
    heading = t("back.said")
    show_table([t("back.number"), t("steps.at"), heading], cells, cut=[heading])
    unknown = t("back.unknown", steps=", ".join(messages))
    return messages[ask_label(t("back.ask"), messages, unknown)]


def _read_messages(row: "ThreadRow") -> "dict[str, MessagePoint]":
    """Return the user's messages by the step before them; the second after a step 3 is `3.2`.

    A turn that was stopped before an answer has made no step.
    """
    from ....sdk.threads.steps import read_thread_branches

    messages = read_thread_branches(row, paths.locate_home()).messages
    labelled: dict[str, MessagePoint] = {}
    for step, group in groupby(messages, key=lambda message: message.before.number):
        for position, message in enumerate(group, 1):
            labelled[f"{step}.{position}" if position > 1 else str(step)] = message
    return labelled


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
    restore_files.show_plan(way.plan, force="")
    if way.plan.changes:
        try:
            restore_files.confirm_restore(yes=False)
        except typer.Exit as ended:
            if ended.exit_code != exit_codes.FAILED:
                raise
            return False
    return True


async def commit_changes(session: Session, words: str) -> None:
    """Commit on the current branch; `all`: all changes, other words are for the message."""
    first, _, rest = words.partition(" ")
    takes_all = first == _ALL
    thread = "" if takes_all and not session.thread else require_thread_id(session)
    runner = await session.wait_for_runner()  # it has loaded the imports below
    from ....sdk.pull_requests.commit_message import write_commit_message
    from ....sdk.pull_requests.user_commit import plan_thread_commit, plan_whole_commit

    if takes_all:
        planned = await plan_whole_commit(session.folder.resolve(), session.home)
    else:
        planned = await plan_thread_commit(runner.threads.get(thread), session.home)
    session.show(t("commit.writing", count=len(planned.paths)), "dim")
    options: Options = {**session.thread_options, **session.options}
    folder = str(session.folder.resolve())
    await runner.pool.reload_if_changed(folder)
    deps = await runner.open_dependencies(folder, options)
    wish = rest.strip() if takes_all else words
    message = await write_commit_message(deps, options, planned, wish)
    if message := await session.ask_question(partial(confirm_commit, planned, message)):
        commit_id = await planned.make(message)
        session.show(t("commit.done", commit=commit_id, subject=message.partition("\n")[0]))


def confirm_commit(planned: "UserCommit", message: str) -> str:
    """Show the commit and its message; return the message to commit with, empty: none."""
    from ...prompts.external_editor import edit_text
    from ...rendering.approval_request import show_arguments, show_text

    console = open_console()
    show_arguments(console, {"name": "commit", "args": {}, "diff": planned.diff})
    for note in _describe_notes(planned):
        show_line(console, note, "yellow")
    while True:
        show_line(console, f"\n{t('commit.message')}", "bold")
        show_text(console, message)
        yes = Choice("yes", t("key.commit.yes"), needs_enter=True)
        if planned.secrets:  # another word, so that a habit does not commit them
            yes = Choice("secrets", t("key.commit.secrets"), needs_enter=True)
        edit, no = Choice("edit", t("key.commit.edit")), Choice("no", t("key.commit.no"))
        choices = [edit, yes, no] if planned.secrets else [yes, edit, no]
        match ask_choice(t("ask.commit"), choices).word:
            case "yes" | "secrets":
                return message
            case "edit":
                message = edit_text(message, ".gitcommit").strip() + "\n"
                if not message.strip():
                    return ""
            case _:
                return ""


def _describe_notes(planned: "UserCommit") -> list[str]:
    apart = [path for path in planned.mixed if path not in planned.whole]
    notes = {
        "apart": apart,
        "whole": planned.whole,
        "secrets": planned.secrets,
        "unsearched": planned.unsearched,
        "hooks": [hook.source for hook in planned.hooks],
    }
    return [
        t(f"commit.{name}", files=", ".join(places)) for name, places in notes.items() if places
    ]
