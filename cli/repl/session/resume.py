"""Resumption of a conversation: its last messages, its mode, its open question."""

import asyncio
from typing import TYPE_CHECKING

from ...i18n.catalogs import t
from ...rendering.listings.threads import SHORT_ID, format_title, open_index
from ...rendering.sanitize import sanitize_line
from .session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....memory.threads.record import ThreadRow
    from ....sdk.threads.transcript import TranscriptEntry

# Last rows of an answer; first lines of the user's message
SHOWN = 8


async def pick_up(session: Session) -> None:
    """Show the state of the thread, and ask its open question."""
    row = await asyncio.to_thread(_show_thread, session)
    if row.status == "waiting":
        await session.wait_for_runner()
        from .turn import ask_again  # imports LangGraph

        await ask_again(session)


def _show_thread(session: Session) -> "ThreadRow":
    from ....sdk.threads.transcript import read_transcript
    from ...rendering.humanize import format_age

    row = open_index().get(session.thread)
    passages = read_transcript(row, session.home)
    thread = row.thread_id[:SHORT_ID]
    session.show(
        t(
            "slash.resume.now",
            thread=thread,
            title=format_title(row),
            ago=format_age(row.updated_at),
        )
    )
    _show_exchange(session, passages)
    if sum(passage.kind == "human" for passage in passages) > 1:
        session.show("")
        session.show(t("slash.resume.all", thread=thread), "dim")
    modes = [passage.text for passage in passages if passage.kind == "mode"]
    session.thread_options = {**session.thread_options, "plan": modes[-1:] == ["plan"]}
    if row.status in ("interrupted", "limit", "failed"):
        session.show(t("repl.cut_short"), "yellow")
    return row


def _show_exchange(session: Session, passages: "Sequence[TranscriptEntry]") -> None:
    """Show the user's last message and its last answer."""
    from rich.text import Text

    from ...rendering.block_printer import EDGE, SPEECH
    from ...rendering.console import open_console
    from ...rendering.markdown.blocks import MarkdownBlock
    from ...rendering.markdown.layout import render_block

    positions = [at for at, passage in enumerate(passages) if passage.kind == "human"]
    if not positions:
        return
    words = passages[positions[-1]].text.strip().splitlines()
    shown_lines = [*words[:SHOWN], *(["…"] if len(words) > SHOWN else [])]
    session.show_user_message("\n".join(map(sanitize_line, shown_lines)))
    answers = [
        passage
        for passage in passages[positions[-1] :]
        if passage.kind in ("answer", "interrupted")
    ]
    if answers:
        width = open_console(stderr=False).width - len(EDGE)
        rows = render_block(MarkdownBlock(answers[-1].text), width)
        rows = [*([Text("…")] if len(rows) > SHOWN else []), *rows[-SHOWN:]]
        session.show("")
        for at, row in enumerate(rows):
            session.show(Text.assemble(EDGE if at else SPEECH, row) if row else row)
        if answers[-1].kind == "interrupted":
            session.show("")
            session.show(t("show.interrupted" if answers[-1].text else "show.unanswered"), "dim")
