"""Choice of the cards that a thread is shown, and their lines (pure)."""

import math
import re
from collections.abc import Collection, Iterable, Sequence

from ...memory.cards.card import Card, CardType
from ...memory.cards.search import rank_cards

MAX_AT_START = 20
# A card fits a message if it shares a rare word with it, or several common ones; a word of one card
# weighs about the logarithm of their number
FLOOR = 0.9
SHORT_ID = 8
LINE = "- [{type}] {content} (card {id}, {day}, by the {by})"
AT_START = (
    "What was learnt in earlier threads. A card may be out of date: verify it before you rely on "
    "it. `search_memory` finds others."
)
WITH_MESSAGE = (
    "These cards from earlier threads are possibly relevant to the user's next message. They are "
    "not the user's words now, and may be out of date: verify.\n{lines}"
)
_ORDER: tuple[CardType, ...] = (
    "constraint",
    "preference",
    "goal",
    "decision",
    "fact",
    "code",
    "todo",
)
_SHOWN = re.compile(rf"^- \[\w+\] .*\(card ([0-9a-f-]{{{SHORT_ID}}}), ", re.MULTILINE)


def choose_start_cards(cards: Sequence[Card], request: str, most_bytes: int) -> list[Card]:
    """Choose the most useful cards: what fits the request, then what always holds."""
    fitting = choose_fitting_cards(cards, request, frozenset(), MAX_AT_START // 2)
    newest = sorted(cards, key=lambda card: (card.updated_at, card.id), reverse=True)
    usual = sorted(newest, key=lambda card: (_ORDER.index(card.type), -card.uses))
    chosen: list[Card] = []
    for card in dict.fromkeys([*fitting, *usual]):
        most_bytes -= len(format_card(card).encode()) + 1
        if most_bytes < len(AT_START) or len(chosen) == MAX_AT_START:
            break
        chosen.append(card)
    # the order says nothing about the request, so that equal memory gives equal bytes
    return sorted(chosen, key=lambda card: (_ORDER.index(card.type), card.created_at, card.id))


def choose_fitting_cards(
    cards: Sequence[Card], message: str, shown_ids: Collection[str], most: int
) -> list[Card]:
    """Choose the cards that fit a message well and are not shown yet, the best first."""
    floor = FLOOR * math.log(1 + len(cards))
    hits = rank_cards(message, cards, most + len(shown_ids))
    fitting = [hit.card for hit in hits if hit.score >= floor]
    return [card for card in fitting if shorten_id(card.id) not in shown_ids][:most]


def format_cards(cards: Iterable[Card]) -> str:
    """Return a line for each card."""
    return "\n".join(map(format_card, cards))


def format_card(card: Card) -> str:
    """Return a card in one line, with its ID and origin."""
    return LINE.format(
        type=card.type,
        content=" ".join(card.content.split()),
        id=shorten_id(card.id),
        day=card.updated_at[:10] or "no date",
        by=card.source.by,
    )


def shorten_id(card_id: str) -> str:
    """Return the beginning of a card's ID that the model reads."""
    return card_id[:SHORT_ID]


def find_shown_ids(texts: Iterable[str]) -> set[str]:
    """Return the short IDs of the cards in texts made by `format_cards`."""
    return {card_id for text in texts for card_id in _SHOWN.findall(text)}
