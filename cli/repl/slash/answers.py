"""`/copy`, `/export`, `/btw`: what was answered, and a question beside the conversation."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit.utils import is_dumb_terminal

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...rendering.listings.threads import SHORT_ID
from ...rendering.sanitize import sanitize_text
from ..session.session import Session
from .files import require_thread_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....sdk.threads.transcript import TranscriptEntry


async def copy_answer(session: Session, words: str) -> None:
    """Copy an answer to the clipboard as it was written; `N`: the N-th last one."""
    if words and not (words.isdecimal() and int(words)):
        raise UsageError(t("slash.copy.unknown", words=words), hint=t("slash.copy.unknown.hint"))
    number = int(words or 1)
    entries = await _read_entries(session)
    answers = [entry.text for entry in entries if entry.kind in ("answer", "interrupted")]
    answers = [answer for answer in answers if answer]
    if number > len(answers):
        raise UsageError(t("slash.copy.none", count=len(answers)), hint=t("slash.copy.none.hint"))
    from ...execution.terminal_signals import MAX_COPIED, build_copy_code

    answer = sanitize_text(answers[-number])
    if is_dumb_terminal():
        session.show(answer)
        return
    if len(answer.encode()) > MAX_COPIED:
        raise UsageError(
            t("slash.copy.long", count=f"{MAX_COPIED:,}"), hint=t("slash.copy.long.hint")
        )
    session.prompt.send_escape_codes(build_copy_code(answer))
    lines = answer.count("\n") + 1
    session.show(t("slash.copy.done", count=lines), "dim")


async def export_conversation(session: Session, name: str) -> None:
    """Write the conversation to a new Markdown file; without a name, one named by the thread."""
    from ...commands.threads.transfer import write_new_file
    from ...rendering.listings.threads import open_index
    from ...rendering.markdown.transcript import format_markdown

    thread = require_thread_id(session)
    file = Path(name).expanduser() if name else Path(f"conversation-{thread[:SHORT_ID]}.md")
    entries = await _read_entries(session)
    row = await asyncio.to_thread(open_index().get, thread)
    content = format_markdown(row.title, entries).encode()
    await asyncio.to_thread(write_new_file, session.folder / file, content)
    session.show(t("slash.export.done", file=file))


async def ask_beside(session: Session, question: str) -> None:
    """Ask the model on the side: on the same context, and neither question nor answer is kept."""
    if not question:
        raise UsageError(t("slash.btw.empty"), hint=t("slash.btw.empty.hint"))
    thread = require_thread_id(session)
    runner = await session.wait_for_runner()  # it has loaded the imports below
    from ....sdk.side_question import ask_side_question
    from ...rendering.console import open_console
    from ...rendering.markdown.blocks import MarkdownBlock
    from ...rendering.markdown.layout import render_block

    reply = await ask_side_question(runner, thread, question)
    for row in render_block(MarkdownBlock(reply.text), open_console(stderr=False).width):
        session.show(row)
    tokens = {"input": f"{reply.input_tokens:,}", "output": f"{reply.output_tokens:,}"}
    session.show(t("slash.btw.used", **tokens), "dim")


async def _read_entries(session: Session) -> "Sequence[TranscriptEntry]":
    from ....sdk.threads.transcript import read_transcript
    from ...rendering.listings.threads import open_index

    thread = require_thread_id(session)
    row = await asyncio.to_thread(open_index().get, thread)
    return await asyncio.to_thread(read_transcript, row, session.home)
