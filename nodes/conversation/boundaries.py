"""Where a conversation may be cut, so that what is left is a history that providers accept."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage

from .cut import Cut
from .room import Room


@dataclass(frozen=True)
class PlannedCut:
    """A cut without its summary; `room` held for everything but the references."""

    upto: str
    """ID of the last message to hide; never empty."""
    kept: tuple[str, ...]
    """The user's own messages to send nevertheless, in order."""
    request: str
    """The user's newest message, if it is hidden; empty: it stays where it is."""
    references: tuple[str, ...]
    """Messages of the user too long to be sent: the caller stores them as outputs."""
    pruned: tuple[str, ...]
    """Messages of the tail to send as stubs."""
    hidden: tuple[AnyMessage, ...]
    """What the cut hides and no earlier one did: the text to summarize, after `summary` of the
    earlier cut."""


def find_boundaries(messages: Sequence[AnyMessage]) -> list[int]:
    """Return the indices from which the rest of the messages is a legal history, in order.

    `len(messages)` is always one, unless calls are open. A rest begins at a message of the user, or
    at an answer that has thinking of its own where its tool loop has thinking.
    """
    return [len(messages)]


def choose_cut(
    messages: Sequence[AnyMessage], cut: Cut | None, room: Room, scale: float = 1.0
) -> PlannedCut | None:
    """Return the next cut of a conversation; None if there is nothing more to hide.

    `messages` is the whole conversation. The tail is at most `room.tail` tokens, but has the last
    batch of results if that fits half the room of all parts.
    """
    return None


def select_kept_requests(
    messages: Sequence[AnyMessage], room: Room, scale: float = 1.0
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the user's own messages to keep, in order, and those of them too long to be sent.

    The newest and the first come before the others, as long as there is room.
    """
    return (), ()
