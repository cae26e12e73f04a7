"""`/transcript`, Ctrl-O twice: everything of the thread in the pager."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit.utils import is_dumb_terminal

from ..session.session import Session
from .files import require_thread_id

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow
    from ....sdk.threads.transcript import TranscriptEntry
    from ...rendering.transcript import StyledLine


async def show_transcript(session: Session, _: str = "") -> None:
    """Show every message, call and output in the pager; a dumb terminal gets plain lines."""
    from ...rendering.listings.threads import open_index

    thread = require_thread_id(session)
    row = await asyncio.to_thread(open_index().get, thread)
    if is_dumb_terminal():
        for line, style in await asyncio.to_thread(_read_lines, row, session.home):
            session.show(line, style)
        return

    def page() -> None:
        from ...prompts.pager import page_lines

        page_lines(_read_lines(row, session.home))

    session.is_paging = True
    try:
        await session.prompt.run_program(page)
    finally:
        session.is_paging = False


def _read_lines(row: "ThreadRow", home: Path) -> "list[StyledLine]":
    from ....config.paths import locate_outputs
    from ....sdk.threads.children import find_child
    from ....sdk.threads.transcript import read_child_transcript, read_transcript
    from ....tools.process.output_capture import get_output_path, make_output_id
    from ...rendering.blocks.thread_text import format_thread

    outputs = locate_outputs(home, row.thread_id)

    def read_output(entry: "TranscriptEntry") -> str:
        file = get_output_path(outputs, make_output_id(entry.call_id))
        return file.read_text("utf-8", "replace") if file.is_file() else ""

    def read_child(entry: "TranscriptEntry") -> "Sequence[TranscriptEntry]":
        return read_child_transcript(row, home, find_child(row, home, entry.agent))

    entries = read_transcript(row, home, thinking=True)
    return list(format_thread(entries, read_output, read_child))
