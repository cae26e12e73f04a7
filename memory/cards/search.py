"""Search of cards: BM25 in plain Python, so that nothing has to be kept in step with the store."""

import math
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from .card import Card
from .words import is_cjk, split_words

# Content, tags, paths
SearchedText = tuple[str, tuple[str, ...], tuple[str, ...]]
# Characters of a word by which another one may begin
MIN_BEGINNING = 4
_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75


@dataclass(frozen=True)
class CardHit:
    """A card that was found, and how well it matches; only scores of one search compare."""

    card: Card
    score: float


def rank_cards(query: str, cards: Sequence[Card], limit: int) -> list[CardHit]:
    """Return the cards that share words with the query, the best first; of equals the newer."""
    scores = score_texts(query, [(card.content, card.tags, card.paths) for card in cards])
    hits = [CardHit(cards[number], score) for number, score in scores.items()]
    hits.sort(key=lambda hit: (hit.score, hit.card.updated_at, hit.card.id), reverse=True)
    return hits[:limit]


def score_texts(query: str, texts: Sequence[SearchedText]) -> dict[int, float]:
    """Return the score of each text that shares a word with the query, by its number."""
    return _score_words(set(split_words(query)), [_count_words(*searched) for searched in texts])


def score_similar_words(query: str, texts: Sequence[SearchedText]) -> dict[int, float]:
    """Score as `score_texts` by words of which one begins the other: `config`, `configuration`."""
    counts = [_count_words(*searched) for searched in texts]
    vocabulary = {word for count in counts for word in count}
    asked = set(split_words(query))
    similar = {word for word in vocabulary if any(_are_similar(word, other) for other in asked)}
    return _score_words(similar, counts)


def _are_similar(word: str, other: str) -> bool:
    """Return whether one word begins the other, or holds it where words have no spaces."""
    short, long = sorted((word, other), key=len)
    if is_cjk(short):
        return short in long
    return len(short) >= MIN_BEGINNING and long.startswith(short)


def _score_words(asked: Set[str], counts: Sequence[Counter[str]]) -> dict[int, float]:
    """Return the score of each text that has one of the words, by its number."""
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    holding = Counter(word for count in counts for word in asked & count.keys())
    weights = {word: _weigh(number, len(counts)) for word, number in holding.items()}
    scores: dict[int, float] = {}
    for number, (count, length) in enumerate(zip(counts, lengths, strict=True)):
        if shared := asked & count.keys():
            norm = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * length / average)
            scores[number] = sum(
                weights[word] * count[word] * (_SATURATION + 1) / (count[word] + norm)
                for word in shared
            )
    return scores


@lru_cache(maxsize=10_000)  # a run searches the same cards at each message
def _count_words(content: str, tags: tuple[str, ...], paths: tuple[str, ...]) -> Counter[str]:
    return Counter(split_words(" ".join([content, *tags, *paths])))


def _weigh(holding: int, total: int) -> float:
    """Return the weight of a word that so many cards hold: a rare word says more."""
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))
