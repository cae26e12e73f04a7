"""Which cards a thread is shown: at its start, and with a later message."""

from maxagent.memory.cards.card import Card, CardType
from maxagent.nodes.cards.card_choice import (
    MAX_AT_START,
    choose_fitting_cards,
    choose_start_cards,
    find_shown_ids,
    format_cards,
    shorten_id,
)


def card(number: int, content: str = "", kind: CardType = "fact", **more: object) -> Card:
    text = content or f"Fact number {number} is about thing{number}."
    return Card(
        f"{number:08x}-0000", text, kind, created_at=f"2026-01-{number % 28 + 1:02}", **more
    )  # type: ignore[arg-type]


CARDS = [card(number) for number in range(1, 60)]


def test_constraints_and_used_cards_come_first() -> None:
    rule, used = card(90, "Never edit generated code.", "constraint"), card(91, "Used.", uses=9)
    chosen = choose_start_cards([*CARDS, used, rule], "hello", 6_000)
    assert len(chosen) == MAX_AT_START and chosen[0] is rule and used in chosen


def test_what_fits_the_request_is_reported() -> None:
    chosen = choose_start_cards(CARDS, "what about thing47?", 6_000)
    assert CARDS[46] in chosen
    assert choose_start_cards([*reversed(CARDS)], "what about thing47?", 6_000) == chosen


def test_the_budget_bounds_the_lines() -> None:
    cards = [card(number, "x" * 480) for number in range(1, 30)]
    assert len(format_cards(choose_start_cards(cards, "", 6_000)).encode()) < 6_000
    assert choose_start_cards(cards, "", 0) == []


def test_only_cards_that_fit_well_are_recalled() -> None:
    assert choose_fitting_cards(CARDS, "tell me about thing12", (), 3) == [CARDS[11]]
    assert choose_fitting_cards(CARDS, "what number is it about?", (), 3) == []
    assert choose_fitting_cards(CARDS, "tell me about thing12", {shorten_id(CARDS[11].id)}, 3) == []
    chinese = [*CARDS, card(99, "发布前要先跑迁移脚本")]
    assert choose_fitting_cards(chinese, "怎么跑迁移脚本？", (), 3) == [chinese[-1]]


def test_shown_cards_are_found_by_their_lines() -> None:
    lines = format_cards([card(7, "a\n- [fact] b (card 00000009, "), card(8)])
    assert lines.count("\n") == 1
    assert find_shown_ids([f"x\n{lines}\n", ""]) == {"00000007", "00000008"}
