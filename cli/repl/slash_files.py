"""`/diff`, `/undo`, `/redo`, `/rewind`: the command lines of these names, for this thread."""

from functools import partial

from ...config.errors import UsageError
from ..diff import diff as show_diff
from ..i18n import t
from ..rewind import rewind as go_back
from ..undo import redo as bring_back
from ..undo import undo as take_back
from .as_typed import as_typed
from .session import Session


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
    """Put files and conversation back to a step; without one, show them and ask."""
    await as_typed(session, partial(go_back, spoken_with(session), to=step_in(step)))
    session.usage = None  # what it says of the context is of what was left


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
