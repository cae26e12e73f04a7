"""A card as the store has it, which a person may edit."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.memory.cards.card import (
    MAX_CHARACTERS,
    Card,
    Source,
    card_from_value,
    format_now,
    retire_card,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
FIELDS = [*Card("1", "x").to_value(), "unknown"]


def test_card_is_read_back_as_it_was() -> None:
    card = Card(
        "1",
        "Use tabs",
        type="preference",
        scope="user",
        tags=("style",),
        state="retired",
        source=Source("t", "m", "c", 3, "abc", "model"),
        created_at=format_now(),
        used_at=format_now(),
        uses=2,
        reason="corrected",
        replaces="0",
        paths=("a.py",),
        expires_at="2999-01-01T00:00:00+00:00",
    )
    assert card_from_value("1", "user", card.to_value()) == card


def test_value_written_by_hand_needs_only_content() -> None:
    card = card_from_value("1", "project", {"content": " By hand\u200b\x1b "})
    assert card == Card("1", "By hand")
    long = card_from_value("1", "project", {"content": "x" * 900, "expires_at": "2030-01-01"})
    assert long and len(long.content) == MAX_CHARACTERS
    assert long.expires_at == "2030-01-01T00:00:00+00:00"


@pytest.mark.parametrize("content", [None, "", " ", 3, ["x"], "\u200b"])
def test_value_without_content_is_no_card(content: Any) -> None:
    assert card_from_value("1", "project", {"content": content}) is None


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_value_is_read(value: dict[str, Any]) -> None:
    card = card_from_value("1", "project", {**value, "content": "x"})
    assert card and card_from_value("1", "project", card.to_value()) == card
    card.is_current(), card.is_unused()


def test_card_is_current_until_it_expires() -> None:
    now = datetime.now(UTC)
    later = (now + timedelta(days=1)).isoformat()
    assert Card("1", "x", expires_at=later).is_current(now)
    assert not Card("1", "x", expires_at=later).is_current(now + timedelta(days=2))
    assert not retire_card(Card("1", "x"), "dropped").is_current()


def test_card_is_unused_after_90_days() -> None:
    now = datetime.now(UTC)
    old, recent = ((now - timedelta(days=days)).isoformat() for days in (91, 89))
    assert Card("1", "x", created_at=old).is_unused(now)
    assert not Card("1", "x", created_at=old, used_at=recent).is_unused(now)
    assert not Card("1", "x").is_unused(now)
