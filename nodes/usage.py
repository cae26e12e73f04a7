"""Usage: tokens and cost of a thread, or of a part of it."""

from typing import NotRequired

from typing_extensions import TypedDict


class Usage(TypedDict):
    """Tokens and cost so far."""

    requests: int
    input: int
    output: int
    cached: int
    """Input tokens that the provider's cache answered."""
    cost: float | None
    """US dollars; None if a price is unknown."""
    seconds: NotRequired[float]
    """Time of the answered requests, from the first byte sent to the last received."""
