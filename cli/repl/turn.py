"""One turn: a message, the events it leads to, the questions on the way, and what it cost."""

from .session import Session


async def take_turn(session: Session, text: str, agent: str = "") -> None:
    """Say it and show everything to the end of the turn."""
    raise NotImplementedError
