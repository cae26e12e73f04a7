"""`/transcript`, Ctrl-O twice: everything of the thread in the pager."""

import asyncio

from prompt_toolkit.utils import is_dumb_terminal

from ..session.session import Session
from .files import require_thread_id


async def show_transcript(session: Session, _: str = "") -> None:
    """Show every message, call and output in the pager; a dumb terminal gets plain lines."""
    from ...rendering.blocks.thread_text import read_thread_lines
    from ...rendering.listings.threads import open_index

    thread = require_thread_id(session)
    row = await asyncio.to_thread(open_index().get, thread)
    if is_dumb_terminal():
        for line, style in await asyncio.to_thread(read_thread_lines, row, session.home):
            session.show(line, style)
        return

    def page() -> None:
        from ...prompts.pager import page_lines

        page_lines(read_thread_lines(row, session.home))

    session.is_paging = True
    try:
        await session.prompt.run_program(page)
    finally:
        session.is_paging = False
