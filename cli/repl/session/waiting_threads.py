"""The conversations of the folder that wait for the user's answer, announced at the start."""

import asyncio
from typing import TYPE_CHECKING

from ...i18n.catalogs import t
from ...rendering.listings.threads import SHORT_ID
from .session import Session

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow

MAX_TITLE = 40


async def announce_waiting(session: Session) -> None:
    """Name the last conversation that waits, which Enter opens; nothing once a line was sent."""
    from ...rendering.humanize import format_age
    from ...rendering.listings.threads import format_title

    if session.thread:
        return
    rows = await asyncio.to_thread(_list_waiting, session)
    if not rows or session.thread or session.typed:
        return
    session.waiting_thread = rows[0].thread_id[:SHORT_ID]
    title = format_title(rows[0])
    title = title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…"
    age = format_age(rows[0].updated_at)
    session.show(t("repl.waits", count=len(rows), title=title, ago=age), "cyan")


def _list_waiting(session: Session) -> "list[ThreadRow]":
    from ....memory.threads.index import ThreadIndex

    return ThreadIndex(session.home).list(session.folder, graph="chat", status="waiting")
