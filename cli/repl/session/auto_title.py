"""A conversation's title, made by the model behind the prompt after the first turn."""

import asyncio

from ....sdk.events import Completion, Event
from ....sdk.threads.titles import entitle
from ..prompt.terminal_signals import titled
from .session import Session


def begin_titling(session: Session, last: Event | None) -> None:
    """Have the thread named once it has an answer, unless it was tried before."""
    if not (session.titles and isinstance(last, Completion) and last.outcome == "answered"):
        return
    if session.titled != last.thread_id:
        session.titled = last.thread_id
        session.titling = asyncio.ensure_future(_entitle(session, last))


async def _entitle(session: Session, end: Completion) -> None:
    title = await entitle(session.home, end.thread_id, end.summary)
    if title and session.thread == end.thread_id:
        session.prompt.signal(titled(title))
