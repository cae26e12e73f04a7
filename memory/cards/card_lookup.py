"""Lookup of a card by the beginning of its ID."""

from collections.abc import Sequence

from ...config.errors import UsageError
from ...config.text import text
from .card import Card

_MIN_PREFIX_LENGTH = 4


def find_card(prefix: str, cards: Sequence[Card]) -> Card:
    """Return the card whose ID begins so; raises UsageError if none or several do."""
    card_prefix = prefix.strip().lower()
    matching = [card for card in cards if card.id.lower().startswith(card_prefix)]
    exact = [card for card in matching if card.id.lower() == card_prefix]
    if len(exact or matching) == 1 and (exact or len(card_prefix) >= _MIN_PREFIX_LENGTH):
        return (exact or matching)[0]
    if matching and 0 < len(card_prefix) < _MIN_PREFIX_LENGTH:
        raise UsageError(
            text("`{prefix}` is too short for the ID of a card", prefix=prefix),
            hint=text("give at least {least} characters of it", least=_MIN_PREFIX_LENGTH),
        )
    if len(matching) > 1 and card_prefix:
        raise UsageError(
            text("`{prefix}` is the beginning of several cards", prefix=prefix),
            hint="give more of the ID",
        )
    raise UsageError(
        text("no card `{prefix}`", prefix=prefix), hint="run `mcode memory list --all` to list them"
    )
