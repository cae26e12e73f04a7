"""Slow startup behind the prompt: configuration, LangGraph, the database."""

import asyncio
import os
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

from ....config.errors import MaxAgentError
from ....config.text import text
from ...i18n.catalogs import t
from ...lazy_imports import without_collector
from ...rendering.listings.threads import SHORT_ID, format_title
from .session import Session, show_error

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow
    from ....nodes.options import Options
    from ....nodes.run.dependencies import Dependencies
    from ....sdk.runner import Runner


MAX_TITLE = 40


async def open_behind(session: Session, closing: AsyncExitStack) -> None:
    """Open what the first message needs, and hand it to the session as soon as it is ready.

    Raises MaxAgentError, for example for an invalid configuration, and unexpected errors;
    `session.wait_for_runner()` raises them as well, or a message would wait forever.
    """
    try:
        await asyncio.to_thread(_check_configuration, session)
        runner = await closing.enter_async_context(await asyncio.to_thread(_create_runner, session))
    except Exception as error:
        session.opened.set_exception(error)
        session.opened.exception()  # the error is shown even if nothing awaits it
        raise
    await _show_untrusted(session)
    session.opened.set_result(runner)
    runner.background.watch(session.prompt.refresh)
    try:
        await refresh_status(session, runner)
        await announce_waiting(session)
    except MaxAgentError as error:  # such as a missing key: the user can fix it
        show_error(session, error)


def _check_configuration(session: Session) -> None:
    with without_collector():
        from ....config.settings.loader import load_settings

    load_settings(session.folder, session.home)


def _create_runner(session: Session) -> "Runner":
    with without_collector():
        from ....sdk.runner import Runner
        from ....tools.process.own_memory import close_memory

    close_memory()
    return Runner(home=session.home)


async def _show_untrusted(session: Session) -> None:
    """Show once, before the first message, which files of the folder are ignored."""
    from ....config.trust.decision import check_trust
    from ....sdk.events import Notice
    from ....sdk.startup_notices import collect_trust_notices
    from .turn_renderer import TurnView

    trust = await asyncio.to_thread(check_trust, session.folder, session.home)
    view = TurnView(session)
    note = view.is_news if session.knows_trust else view.show_event
    for notice in collect_trust_notices(trust, tests=False):
        note(Notice(notice))


async def refresh_status(session: Session, runner: "Runner") -> None:
    """Open the thread's resources, and update the status line from them."""
    from ....sdk.threads.context_usage import compute_limit
    from ....sdk.threads.usage import read_usage

    if session.thread:
        session.thread_options = await runner.options_of(session.thread)
    options: Options = {"agent": "build", **session.next_options}
    deps = await runner.open_dependencies(os.path.realpath(session.folder), options)
    if session.thread and session.usage is None:
        usage_arguments = session.thread, session.home, deps.model.context_length
        session.usage = await asyncio.to_thread(read_usage, *usage_arguments)
    session.model, session.mode = deps.model.name, deps.policy.mode
    session.sandbox = deps.sandbox.state
    session.context_limit = compute_limit(deps)
    session.thinking = options.get("thinking") or deps.settings.model.thinking_strategy
    session.effort = options.get("effort") or deps.settings.model.effort
    _open_status_line(session, deps)
    session.prompt.refresh()


def _open_status_line(session: Session, deps: "Dependencies") -> None:
    """Follow the setting `ui.status_line`; a project's file cannot have it."""
    command, current = deps.settings.ui.status_line, session.status_line
    is_blocked = bool(command) and deps.trust.is_needed and not deps.trust.trusted
    if (command, is_blocked) == ((current.command, current.is_blocked) if current else ("", False)):
        return
    from .status_line import StatusLine  # imports what starts processes

    warn = partial(session.show, style="yellow")
    session.status_line = StatusLine(command, session.folder, session.prompt.refresh, warn)
    if is_blocked:
        session.status_line.block(text("the folder is not trusted"))


async def announce_waiting(session: Session) -> None:
    """Name the last conversation that waits, which Enter opens; nothing once a line was sent."""
    from ...rendering.humanize import format_age

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
