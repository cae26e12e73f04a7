"""Which model is asked when one cannot answer (pure)."""

from collections.abc import Sequence

from ...models.catalog import Price
from ...models.errors import (
    AuthenticationError,
    BrokenStreamError,
    ModelCallError,
    ProviderFaultError,
    QuotaExhaustedError,
    RateLimitError,
    RequestBlockedError,
)

# Another model may answer the same request. Not so after a refusal of content, an invalid request
# or a conversation that is too long.
UNAVAILABLE = (
    AuthenticationError,
    BrokenStreamError,
    ProviderFaultError,
    QuotaExhaustedError,
    RateLimitError,
    RequestBlockedError,
)


def can_fail_over(error: ModelCallError) -> bool:
    """Return whether another model may be asked instead."""
    return isinstance(error, UNAVAILABLE)


def list_candidates(fallback: Sequence[str], current: str) -> list[str]:
    """Return the models to ask after this one; `current` is empty for the chosen model."""
    return list(fallback[fallback.index(current) + 1 :] if current in fallback else fallback)


def can_be_dearer(before: Price | None, after: Price | None) -> bool:
    """Return whether the second price is higher, of input or of output, or one is unknown."""
    if before is None or after is None:
        return True
    return after.input > before.input or after.output > before.output


def price_to_json(price: Price | None) -> dict[str, float] | None:
    """Return US dollars per million tokens; None if they are unknown."""
    if price is None:
        return None
    cached = price.input if price.cached is None else price.cached
    return {"input": price.input, "output": price.output, "cached": cached}
