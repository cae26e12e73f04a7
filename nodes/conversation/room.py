"""Tokens that each part of a view may take: the smaller of a number and a share of the window."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """Tokens for the parts of a view."""

    results: int
    """The newest results, which are never pruned."""
    freed: int
    """What pruning must free to be worth a lost prompt cache."""
    requests: int
    """The user's own messages that stay word for word."""
    summary: int
    """The summary."""
    tail: int
    """The newest messages that stay after a cut."""


def compute_room(window: int, safe_zone: int = 40_000) -> Room:
    """Return the room of a window of so many tokens; `safe_zone` is the setting."""
    return Room(
        results=min(safe_zone, window * 40 // 100),
        freed=min(20_000, window * 10 // 100),
        requests=min(20_000, window * 25 // 100),
        summary=min(4_000, window * 10 // 100),
        tail=min(20_000, window * 20 // 100),
    )
