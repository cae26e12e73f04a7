"""`/diff`, `/undo`, `/redo`, `/rewind`: the command lines of these names, for this thread."""

from dataclasses import replace
from functools import partial

from ....config.errors import UsageError
from ....memory.threads.record import build_title
from ...commands.diff import diff as show_diff
from ...commands.undo import redo as bring_back
from ...commands.undo import undo as take_back
from ...i18n.catalogs import t
from ..session.cli_bridge import run_cli_command
from ..session.rewind import choose_message, go_back
from ..session.session import Session


async def show_changes(session: Session, _: str) -> None:
    """Show what the thread has changed."""
    await run_cli_command(session, partial(show_diff, require_thread_id(session)))


async def undo(session: Session, _: str) -> None:
    """Take back what the last turn did to the files."""
    await run_cli_command(session, partial(take_back, require_thread_id(session)))


async def redo(session: Session, _: str) -> None:
    """Bring back what was undone."""
    await run_cli_command(session, partial(bring_back, require_thread_id(session)))


async def rewind_thread(session: Session, step: str) -> None:
    """Put files and conversation back to before a message, which can be changed; or to a step."""
    await session.wait_for_runner()  # what follows brings as much, and is there by now
    from ....sdk.threads.steps import find_step
    from ...rendering.thread_listing import open_index
    from ..session.background_startup import refresh_status

    row, at, words = open_index().get(require_thread_id(session)), parse_step(step), ""
    if at is None:
        message = await session.ask_question(partial(choose_message, row))
        place, words = message.before, message.text
        where = t("back.before", words=build_title(words))
    else:
        place, where = find_step(row, session.home, at), t("back.step", step=at)
    if await session.ask_question(partial(go_back, row, place, where)):
        session.left_by_hand = False
        await refresh_status(session, await session.wait_for_runner())
        if session.usage:  # what it says of the context is of what was left
            session.usage = replace(session.usage, window=0)
        session.prompt.give_back(words)


def require_thread_id(session: Session) -> str:
    """Id of the thread that is spoken with; raises UsageError when none has begun."""
    if not session.thread:
        raise UsageError(t("slash.no_thread"), hint=t("slash.no_thread.hint"))
    return session.thread


def parse_step(words: str) -> int | None:
    """The number of a step, if one is named; raises UsageError for anything else."""
    if words and not words.isdecimal():
        raise UsageError(t("slash.no_step", words=words), hint=t("slash.no_step.hint"))
    return int(words) if words else None
