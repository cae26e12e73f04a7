"""`/diff`, `/undo`, `/redo`, `/rewind`: the commands of these names, for this thread."""

from dataclasses import replace
from functools import partial

from ....config.errors import UsageError
from ....memory.threads.record import build_title
from ...commands.diff import diff as show_diff
from ...commands.undo import redo as bring_back
from ...commands.undo import undo as take_back
from ...i18n.catalogs import t
from ..session.cli_bridge import run_cli_command
from ..session.rewind import choose_message, find_message, go_back
from ..session.session import Session


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
    from ...rendering.listings.threads import open_index
    from ..session.background_startup import refresh_status

    row, at, words = open_index().get(require_thread_id(session)), parse_step(step), ""
    if at is None:
        message = await session.ask_question(partial(choose_message, row))
    else:
        message = find_message(row, at)
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
