"""A card by the beginning of its ID."""

import pytest

from maxagent.config.errors import UsageError
from maxagent.memory.cards.card import Card
from maxagent.memory.cards.card_lookup import find_card

CARDS = [Card("abcd1111", "a"), Card("abcd2222", "b"), Card("ef", "c"), Card("beef0000", "d")]


@pytest.mark.parametrize(
    ("prefix", "content"), [("abcd1", "a"), ("ABCD2222", "b"), (" ef ", "c"), ("beef", "d")]
)
def test_card_is_found_by_four_characters(prefix: str, content: str) -> None:
    assert find_card(prefix, CARDS).content == content


@pytest.mark.parametrize(
    ("prefix", "says"), [("abcd", "several"), ("bee", "too short"), ("zzz", "no card"), ("", "no")]
)
def test_short_or_ambiguous_beginning_is_an_error(prefix: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        find_card(prefix, CARDS)
