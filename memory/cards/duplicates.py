"""Duplicates: a new card that says what another says already, or nearly so."""

from collections.abc import Iterable
from dataclasses import dataclass

from .card import Card
from .words import split_words

SAME, NEAR = 0.8, 0.5
# Texts with other numbers are never the same; with several and none in common, about other things
_NEARLY_SAME = 0.79
_SEVERAL = 2


@dataclass(frozen=True)
class SimilarCard:
    """The most similar card, and how similar it is, from 0 to 1."""

    card: Card
    similarity: float

    @property
    def is_same(self) -> bool:
        """Return whether both say the same."""
        return self.similarity >= SAME


def find_similar(content: str, cards: Iterable[Card]) -> SimilarCard | None:
    """Return the most similar card that says the same or nearly so; None if all differ."""
    words = set(split_words(content))
    similar_cards = [SimilarCard(card, measure_similarity(words, card.content)) for card in cards]
    best = max(similar_cards, key=lambda similar: similar.similarity, default=None)
    return best if best and best.similarity >= NEAR else None


def measure_similarity(words: set[str], content: str) -> float:
    """Return the Jaccard index of the words of two texts, lower if their numbers differ."""
    others = set(split_words(content))
    similarity = len(words & others) / len(words | others) if words | others else 0.0
    if similarity < NEAR or (numbers := _find_numbers(words)) == (against := _find_numbers(others)):
        return similarity
    if min(len(numbers), len(against)) >= _SEVERAL and not numbers & against:
        return 0.0
    return min(similarity, _NEARLY_SAME)


def _find_numbers(words: set[str]) -> set[str]:
    """Return the words with a digit, such as `14` and `alpha14`."""
    return {word for word in words if any(character.isdigit() for character in word)}
