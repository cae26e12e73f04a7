"""Search of cards: BM25 in plain Python, so that nothing has to be kept in step with the store."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .card import Card
from .words import split_words

_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75


@dataclass(frozen=True)
class CardHit:
    """A card that was found, and how well it matches; only scores of one search compare."""

    card: Card
    score: float


def rank_cards(query: str, cards: Sequence[Card], limit: int) -> list[CardHit]:
    """Return the cards that share words with the query, the best first; of equals the newer."""
    asked = set(split_words(query))
    counts = [Counter(split_words(_get_text(card))) for card in cards]
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    weights = {word: _weigh(sum(word in count for count in counts), len(cards)) for word in asked}
    hits: list[CardHit] = []
    for card, count, length in zip(cards, counts, lengths, strict=True):
        shared = [word for word in asked if word in count]
        if shared:
            norm = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * length / average)
            score = sum(
                weights[word] * count[word] * (_SATURATION + 1) / (count[word] + norm)
                for word in shared
            )
            hits.append(CardHit(card, score))
    hits.sort(key=lambda hit: (hit.score, hit.card.updated_at, hit.card.id), reverse=True)
    return hits[:limit]


def _get_text(card: Card) -> str:
    return " ".join([card.content, *card.tags, *card.paths])


def _weigh(holding: int, total: int) -> float:
    """Return the weight of a word that so many cards hold: a rare word says more."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))
