"""One turn: a message, the events it leads to, the questions on the way, and what it cost."""

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from functools import partial
from typing import Any, cast

from ...config.errors import UnfinishedTurn
from ...config.redaction import redacted
from ...nodes.state import Options, lasting
from ...sdk.events import Event, Failure, Question, RunStarted
from ..approval import ask
from ..i18n import t
from ..question import abandons
from ..told import told
from .opening import look
from .prompt import Unanswered
from .session import Session
from .signs import LONG, notified
from .titling import begin_titling
from .turn_view import TurnView


async def take_turn(session: Session, text: str, agent: str, once: Options) -> None:
    """Say it and show everything to the end of the turn; Esc (a cancellation) leaves it there."""
    view = TurnView(session)
    try:
        await _to_its_end(session, view, _said(session, view, text, agent, once))
    except Unanswered:
        session.prompt.give_back(text)
        raise


async def ask_again(session: Session) -> None:
    """Ask what the thread asks, and show what follows from the answer."""
    view, runner = TurnView(session), await session.runner()
    await _to_its_end(session, view, _watched(session, view, runner.resume(session.thread)))


async def _to_its_end(
    session: Session, view: TurnView, turn: Coroutine[Any, Any, Event | None]
) -> None:
    began = time.monotonic()
    try:
        last = await turn
    except asyncio.CancelledError:
        session.left_by_hand = bool(session.thread)
        view.interrupted()
        await look(session, await session.runner())
        raise
    # the human has seen a failure, or turned away from a question, and says how to go on
    session.left_by_hand = isinstance(last, Failure | Question)
    view.end(last)
    if not isinstance(last, Failure):  # what keeps the thread from being worked with is told
        await look(session, await session.runner())
    begin_titling(session, last)
    if time.monotonic() - began > LONG:
        session.prompt.signal(notified(t("repl.done")))


async def _said(
    session: Session, view: TurnView, words: str, agent: str, once: Options
) -> Event | None:
    """Say it, where the thread has come to an end, or is left where it is."""
    abandon, session.left_by_hand = session.left_by_hand, False
    while True:
        try:
            events = _reaching(session, await _events(session, words, agent, once, abandon))
            return await _watched(session, view, events)
        except UnfinishedTurn as unfinished:
            session.show(told(unfinished.message), "yellow")
            abandon = await session.ask(abandons)
            if not abandon:
                runner = await session.runner()
                await _watched(session, view, runner.resume(session.thread))


async def _events(
    session: Session, words: str, agent: str, once: Options, abandon: bool
) -> AsyncGenerator[Event]:
    runner = await session.runner()
    options: Options = {**session.options, **once}
    if session.aside:
        options["aside"] = [redacted(one) for one in session.aside]
    if session.thread:
        return runner.say(session.thread, words, options=options, agent=agent, abandon=abandon)
    return runner.chat(
        words, folder=session.folder, options=options, name=session.name, agent=agent
    )


async def _reaching(session: Session, events: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
    """The same; with the first the thread has what was chosen, and is not told again."""
    sent = lasting(session.options)
    async with aclosing(events):
        async for event in events:
            if isinstance(event, RunStarted):
                session.standing = {**session.standing, **sent}
                later = {k: v for k, v in session.options.items() if sent.get(k) != v}
                session.options = cast(Options, later)
                session.aside.clear()
            yield event


async def _watched(session: Session, view: TurnView, events: AsyncGenerator[Event]) -> Event | None:
    """Show a stream, and those that follow from answers, to the end or an open question."""
    runner = await session.runner()
    while True:
        last = await _shown(view, events)
        if not isinstance(last, Question) or last.kind == "limit":
            return last
        session.prompt.signal(notified(t("repl.asks")))
        answer = await session.ask(partial(ask, last))
        if answer is None:
            return last
        events = runner.resume(last.thread_id, answer)


async def _shown(view: TurnView, events: AsyncGenerator[Event]) -> Event | None:
    last: Event | None = None
    async with aclosing(events):
        async for last in events:
            view.show(last)
    return last
