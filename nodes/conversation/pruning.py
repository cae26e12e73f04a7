"""Which results and arguments of a view become one line, and whether that pays."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage

from .cut import Cut
from .room import Room


@dataclass(frozen=True)
class PlannedPruning:
    """Messages to send as stubs from now on."""

    pruned: tuple[str, ...]
    """All of them, with those of the earlier cut."""
    freed: int
    """Tokens that this frees."""


def choose_pruned(
    messages: Sequence[AnyMessage],
    cut: Cut | None,
    room: Room,
    used: int,
    limit: int,
    scale: float = 1.0,
) -> PlannedPruning | None:
    """Return what to prune; None where it does not pay, so that a summary is needed.

    It pays if it frees `room.freed` tokens and brings the view from `used` under `limit`.
    """
    return None


def build_stub(message: AnyMessage, call_message: AnyMessage | None = None) -> AnyMessage:
    """Return what is sent of a pruned message; the same for the same message."""
    return message
