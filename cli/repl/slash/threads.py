"""`/clear`, `/sessions`, `/resume`, `/fork`, `/rename`: the current thread."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...rendering.listings.threads import SHORT_ID
from ..session.cli_bridge import run_cli_command
from ..session.session import Session
from .files import parse_step, require_thread_id

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow


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
    from ...rendering.listings.threads import show_rows

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
    from ...rendering.listings.threads import open_index

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
    from ...rendering.listings.threads import open_index
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
