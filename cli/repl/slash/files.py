"""`/diff`, `/undo`, `/redo`, `/rewind`: the command lines of these names, for this thread."""

from dataclasses import replace
from functools import partial

from ....config.errors import UsageError
from ....memory.threads.record import title_of
from ...commands.diff import diff as show_diff
from ...commands.undo import redo as bring_back
from ...commands.undo import undo as take_back
from ...i18n.catalogs import t
from ..session.cli_bridge import as_typed
from ..session.rewind import chosen_message, go_back
from ..session.session import Session


async def diff(session: Session, _: str) -> None:
    """Show what the thread has changed."""
    await as_typed(session, partial(show_diff, spoken_with(session)))


async def undo(session: Session, _: str) -> None:
    """Take back what the last turn did to the files."""
    await as_typed(session, partial(take_back, spoken_with(session)))


async def redo(session: Session, _: str) -> None:
    """Bring back what was undone."""
    await as_typed(session, partial(bring_back, spoken_with(session)))


async def rewind(session: Session, step: str) -> None:
    """Put files and conversation back to before a message, which can be changed; or to a step."""
    await session.runner()  # what follows brings as much, and is there by now
    from ....sdk.threads.steps import step_of
    from ...commands.threads.listing import open_index
    from ..session.background_startup import look

    row, at, words = open_index().get(spoken_with(session)), step_in(step), ""
    if at is None:
        message = await session.ask(partial(chosen_message, row))
        place, words = message.before, message.words
        where = t("back.before", words=title_of(words))
    else:
        place, where = step_of(row, session.home, at), t("back.step", step=at)
    if await session.ask(partial(go_back, row, place, where)):
        session.left_by_hand = False
        await look(session, await session.runner())
        if session.usage:  # what it says of the context is of what was left
            session.usage = replace(session.usage, window=0)
        session.prompt.give_back(words)


def spoken_with(session: Session) -> str:
    """Id of the thread that is spoken with; raises UsageError when none has begun."""
    if not session.thread:
        raise UsageError(t("slash.no_thread"), hint=t("slash.no_thread.hint"))
    return session.thread


def step_in(words: str) -> int | None:
    """The number of a step, if one is named; raises UsageError for anything else."""
    if words and not words.isdecimal():
        raise UsageError(t("slash.no_step", words=words), hint=t("slash.no_step.hint"))
    return int(words) if words else None
