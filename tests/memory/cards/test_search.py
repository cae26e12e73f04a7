"""Search: does it find what is asked for, in both languages, and how fast?"""

from memory_corpus import QUESTIONS, TOTAL, build_cards

from maxagent.memory.cards.card import Card
from maxagent.memory.cards.search import rank_cards


def test_asked_card_is_among_the_first_three() -> None:
    cards = build_cards()
    assert len({card.content for card in cards}) == TOTAL and len(QUESTIONS) >= 60
    missed = [
        question
        for number, (question, _) in enumerate(QUESTIONS)
        if str(number) not in [hit.card.id for hit in rank_cards(question, cards, 3)]
    ]
    assert len(missed) <= len(QUESTIONS) / 10, missed


def test_tags_and_paths_are_searched_too() -> None:
    cards = [Card("1", "Nothing here", tags=("billing",)), Card("2", "Nor", paths=("src/tax.py",))]
    assert [hit.card.id for hit in rank_cards("billing", cards, 3)] == ["1"]
    assert [hit.card.id for hit in rank_cards("tax", cards, 3)] == ["2"]


def test_newer_of_two_equal_cards_comes_first() -> None:
    old, new = (Card(day, "Same words", updated_at=f"2026-01-{day}") for day in ("01", "02"))
    assert [hit.card.id for hit in rank_cards("words", [old, new], 2)] == ["02", "01"]


def test_query_without_a_shared_word_finds_nothing() -> None:
    assert rank_cards("zebra", build_cards(), 3) == []
    assert rank_cards("", build_cards(), 3) == [] and rank_cards("x", [], 3) == []
