"""Sending a message: what a turn needs is imported with it."""

from typing import TYPE_CHECKING

from .session import Session

if TYPE_CHECKING:
    from ....nodes.options import Options


async def run_message(
    session: Session, text: str, agent: str = "", once: "Options | None" = None
) -> None:
    """Send a message to the thread, or create one, and show the turn to its end.

    `agent` and the options `once` apply to this turn only.
    """
    session.is_unsent = session.cut_short = True
    session.folds.clear()
    await session.wait_for_runner()
    from .turn import run_turn  # imports LangGraph

    await run_turn(session, text, agent, once or {})
