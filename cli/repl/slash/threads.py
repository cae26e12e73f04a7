"""`/clear`, `/sessions`, `/resume`, `/fork`, `/rename`, `/copy`, `/export`, `/btw`: the thread."""

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit.utils import is_dumb_terminal

from ....config.errors import UsageError
from ...execution.terminal_signals import MAX_COPIED, build_copy_code
from ...i18n.catalogs import t
from ...rendering.console import open_console
from ...rendering.listings.threads import SHORT_ID, open_index, show_rows
from ...rendering.sanitize import sanitize_text
from ..session.cli_bridge import run_cli_command
from ..session.session import Session
from .files import parse_step, require_thread_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....memory.threads.record import ThreadRow
    from ....sdk.threads.transcript import TranscriptEntry


async def clear(session: Session, _: str) -> None:
    """Let the next message create a thread, and show how to return to this one."""
    left = session.thread
    session.start_new_thread()
    session.show(t("slash.clear.now"))
    if left:
        session.show(t("slash.clear.back", thread=left[:SHORT_ID]))


async def list_sessions(session: Session, name: str) -> None:
    """List the folder's conversations, or resume the named one."""
    from ...execution.thread_argument import list_chats

    if name:
        await resume_thread(session, name)
        return
    await run_cli_command(
        session, partial(show_rows, list_chats(session.folder), with_folder=False)
    )
    session.show(t("slash.sessions.how"))


async def resume_thread(session: Session, name: str) -> None:
    """Resume the named conversation, or one that the user picks."""
    from ...execution.thread_argument import pick_chat

    if name:
        row = open_index().find(name, session.folder)
    else:
        row = await session.ask_question(partial(pick_chat, session.folder))
    await _switch_thread(session, row)


async def _switch_thread(session: Session, row: "ThreadRow") -> None:
    """Make that thread current; raise UsageError if it cannot continue here."""
    from ..session.background_startup import refresh_status
    from ..session.resume import pick_up

    thread = row.thread_id[:SHORT_ID]
    if row.graph != "chat":
        hint = t("slash.resume.elsewhere", command=f"mcode resume {thread}")
        raise UsageError(t("slash.resume.no_chat", thread=thread, graph=row.graph), hint=hint)
    if Path(row.folder) != session.folder.resolve():
        hint = t("slash.resume.elsewhere", command=f"mcode chat --resume {thread}")
        raise UsageError(t("slash.resume.folder", thread=thread, folder=row.folder), hint=hint)
    session.start_new_thread()
    session.thread, session.options = row.thread_id, {}
    await refresh_status(session, await session.wait_for_runner())
    await pick_up(session)


async def fork_thread(session: Session, step: str) -> None:
    """Continue from here, or from a step, in a fork."""
    await session.wait_for_runner()  # it has loaded the imports below
    from ....sdk.threads.steps import find_step
    from ....sdk.threads.time_travel import copy_thread
    from ....sdk.threads.time_travel import fork as forked
    from ..session.background_startup import refresh_status

    row = open_index().get(require_thread_id(session))
    number, home = parse_step(step), session.home
    if number is None:
        new = await copy_thread(row, home)
    else:
        new = await forked(row, home, find_step(row, home, number))
    session.thread = new.thread_id
    await refresh_status(session, await session.wait_for_runner())
    thread, own = row.thread_id[:SHORT_ID], new.thread_id[:SHORT_ID]
    session.show(t("slash.fork.done", thread=thread, step=new.parent_step, fork=own))
    session.show(t("slash.clear.back", thread=thread))


async def rename_thread(session: Session, name: str) -> None:
    """Rename the thread."""
    from ...commands.threads.listing import rename as give_name

    await run_cli_command(session, partial(give_name, require_thread_id(session), name))


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
    from ...rendering.markdown.blocks import MarkdownBlock
    from ...rendering.markdown.layout import render_block

    reply = await ask_side_question(runner, thread, question)
    for row in render_block(MarkdownBlock(reply.text), open_console(stderr=False).width):
        session.show(row)
    tokens = {"input": f"{reply.input_tokens:,}", "output": f"{reply.output_tokens:,}"}
    session.show(t("slash.btw.used", **tokens), "dim")


async def _read_entries(session: Session) -> "Sequence[TranscriptEntry]":
    from ....sdk.threads.transcript import read_transcript

    thread = require_thread_id(session)
    row = await asyncio.to_thread(open_index().get, thread)
    return await asyncio.to_thread(read_transcript, row, session.home)
