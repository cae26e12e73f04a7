"""What a rewind has retired: cards that the model learnt in the steps that are gone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..i18n.catalogs import t
from ..rendering.output import echo
from ..rendering.sanitize import sanitize_line

if TYPE_CHECKING:
    from ...memory.cards.card import Card


def show_retired(cards: "Sequence[Card]") -> None:
    """Say in one line which cards a rewind has retired; nothing if there are none."""
    if cards:
        contents = "; ".join(" ".join(sanitize_line(card.content).split()) for card in cards)
        echo(t("memory.retired", count=len(cards), contents=contents), err=True)
