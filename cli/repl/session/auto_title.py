"""A conversation's title, made by the model behind the prompt after the first turn."""

import asyncio

from ....sdk.events import Completion, Event
from ....sdk.threads.titles import generate_title
from ..prompt.terminal_signals import build_title_code
from .session import Session


def begin_titling(session: Session, last: Event | None) -> None:
    """Have the thread named once it has an answer, unless it was tried before."""
    if not (session.titles and isinstance(last, Completion) and last.outcome == "answered"):
        return
    if session.titled_thread_id != last.thread_id:
        session.titled_thread_id = last.thread_id
        session.title_task = asyncio.ensure_future(_generate_title(session, last))


async def _generate_title(session: Session, end: Completion) -> None:
    title = await generate_title(await session.wait_for_runner(), end.thread_id, end.summary)
    if title and session.thread == end.thread_id:
        session.prompt.send_escape_codes(build_title_code(title))
