"""One turn: a message, its events, the questions on the way, and its cost."""

import asyncio
import time
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from ....config.errors import MaxAgentError
from ....nodes.options import Options
from ....sdk.events import Completion, Event, Failure, Question
from ....sdk.threads.titles import generate_title
from ...execution.interactive_run import InteractiveRun
from ...execution.terminal_signals import (
    LONG,
    build_progress_code,
    build_state_code,
    build_title_code,
)
from ...i18n.catalogs import t
from ...rendering.console import open_console
from ..prompt.protocol import PromptAborted
from .background_startup import refresh_status
from .session import Session
from .turn_renderer import TurnView


async def run_turn(session: Session, text: str, agent: str, once: Options) -> None:
    """Send the message and show the whole turn; Esc (a cancellation) ends it early."""
    view, runner = TurnView(session), await session.wait_for_runner()
    runner.pool.elicitation.ask = partial(_answer_server, session)
    dialogue = InteractiveRun(runner, view.show_events, session.ask_question)
    abandon, session.left_by_hand = session.left_by_hand, False
    again = partial(session.show_user_message, session.typed or text)
    events = dialogue.send_message(
        session, text, agent=agent, once=once, abandon=abandon, again=again
    )
    await _follow_turn(session, view, events)


async def _answer_server(session: Session, request: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Ask what an MCP server asks while a call runs; None if the user leaves it open."""
    from ...prompts.server_question import decide_server_question

    try:
        return await session.ask_question(partial(decide_server_question, open_console(), request))
    except (PromptAborted, EOFError, KeyboardInterrupt):
        return None


async def ask_again(session: Session) -> None:
    """Ask the thread's open question, and show what follows from the answer."""
    view, runner = TurnView(session), await session.wait_for_runner()
    runner.pool.elicitation.ask = partial(_answer_server, session)
    dialogue = InteractiveRun(runner, view.show_events, session.ask_question)
    await _follow_turn(session, view, dialogue.consume(runner.resume(session.thread)))


async def _follow_turn(
    session: Session, view: TurnView, turn: Coroutine[Any, Any, Event | None]
) -> None:
    start_time, session.cut_short = time.monotonic(), True
    try:
        last = await _run_to_end(session, turn)
    except asyncio.CancelledError:
        session.left_by_hand = bool(session.thread)
        view.show_interruption()
        await refresh_status(session, await session.wait_for_runner())
        raise
    except MaxAgentError:  # such as a question that another process has answered meanwhile
        with suppress(MaxAgentError):
            await refresh_status(session, await session.wait_for_runner())
        raise
    # the user has seen a failure, or aborted a question, and decides how to continue
    session.left_by_hand = session.cut_short = isinstance(last, Failure | Question)
    view.show_end(last)
    if not isinstance(last, Failure):  # an error here is shown, unless a failure was
        await refresh_status(session, await session.wait_for_runner())
    begin_titling(session, last)
    if time.monotonic() - start_time > LONG:
        session.notify(t("repl.done"))


async def _run_to_end(session: Session, turn: Coroutine[Any, Any, Event | None]) -> Event | None:
    try:
        session.prompt.send_escape_codes(build_progress_code("busy"))
        return await turn
    finally:
        session.prompt.send_escape_codes(build_progress_code("none") + build_state_code("idle"))
        session.unread_lines += session.inbox.end_steering()


def begin_titling(session: Session, last: Event | None) -> None:
    """Have the model title the thread once it has an answer, unless that was tried before."""
    if not (session.titles and isinstance(last, Completion) and last.outcome == "answered"):
        return
    if session.titled_thread_id != last.thread_id:
        session.titled_thread_id = last.thread_id
        session.title_task = asyncio.ensure_future(_generate_title(session, last))


async def _generate_title(session: Session, end: Completion) -> None:
    runner = await session.wait_for_runner()
    title = await generate_title(
        runner.threads, runner.open_dependencies, end.thread_id, end.summary
    )
    if title and session.thread == end.thread_id:
        session.prompt.send_escape_codes(build_title_code(title))
