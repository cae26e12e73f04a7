"""One turn: a message, the events it leads to, the questions on the way, and what it cost."""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from ....config.errors import MaxAgentError
from ....nodes.state import Options
from ....sdk.events import Event, Failure, Question
from ...execution.interactive_run import Dialogue
from ...i18n.catalogs import t
from ..prompt.terminal_signals import LONG, notified
from .auto_title import begin_titling
from .background_startup import look
from .session import Session
from .turn_renderer import TurnView


async def take_turn(session: Session, text: str, agent: str, once: Options) -> None:
    """Say it and show everything to the end of the turn; Esc (a cancellation) leaves it there."""
    view = TurnView(session)
    dialogue = Dialogue(await session.runner(), view.watch, session.ask)
    abandon, session.left_by_hand = session.left_by_hand, False
    again = partial(session.show_said, session.typed or text)
    said = dialogue.say(session, text, agent=agent, once=once, abandon=abandon, again=again)
    await _to_its_end(session, view, said)


async def ask_again(session: Session) -> None:
    """Ask what the thread asks, and show what follows from the answer."""
    view, runner = TurnView(session), await session.runner()
    dialogue = Dialogue(runner, view.watch, session.ask)
    await _to_its_end(session, view, dialogue.follow(runner.resume(session.thread)))


async def _to_its_end(
    session: Session, view: TurnView, turn: Coroutine[Any, Any, Event | None]
) -> None:
    began, session.cut_short = time.monotonic(), True
    try:
        last = await turn
    except asyncio.CancelledError:
        session.left_by_hand = bool(session.thread)
        view.interrupted()
        await look(session, await session.runner())
        raise
    except MaxAgentError:  # such as an answer that somebody else has given meanwhile
        with suppress(MaxAgentError):
            await look(session, await session.runner())
        raise
    # the human has seen a failure, or turned away from a question, and says how to go on
    session.left_by_hand = session.cut_short = isinstance(last, Failure | Question)
    view.end(last)
    if not isinstance(last, Failure):  # what keeps the thread from being worked with is told
        await look(session, await session.runner())
    begin_titling(session, last)
    if time.monotonic() - began > LONG:
        session.prompt.signal(notified(t("repl.done")))
