"""`mcode memory inbox`: what waits for the user."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from memory_place import MemoryPlace

from maxagent.memory.cards.card import Source
from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.namespaces import get_namespace
from maxagent.memory.cards.store import open_library, open_store

OLD = (datetime.now(UTC) - timedelta(days=91)).isoformat(timespec="seconds")


@pytest.fixture
def memory(tmp_path: Path) -> MemoryPlace:
    return MemoryPlace(tmp_path)


def propose(memory: MemoryPlace, *contents: str) -> list[str]:
    async def run() -> list[str]:
        async with open_library(memory.home, memory.project) as library:
            drafts = [CardDraft(each, source=Source(thread="t", by="model")) for each in contents]
            return [(await library.add(draft)).card.id for draft in drafts]

    return asyncio.run(run())


def test_proposals_are_kept_or_dropped(memory: MemoryPlace) -> None:
    assert memory("inbox").stderr.strip() == "No card waits for you"
    first, second = propose(memory, "Tests need a database", "Deploy from the main branch")
    assert {card["id"] for card in memory.read("inbox")} == {first, second}
    assert memory.read("list") == []
    assert "[proposed] Tests need a database" in memory("inbox").stdout
    assert memory("inbox", "keep", first[:8]).returncode == 0
    assert [card["state"] for card in memory.read("inbox", "drop", second[:8])] == ["retired"]
    assert [card["id"] for card in memory.read("list")] == [first]
    assert memory.read("inbox") == []


def test_card_unused_for_90_days_waits(memory: MemoryPlace) -> None:
    async def put() -> None:
        async with open_store(memory.home) as store:
            value = {"content": "Long unused", "created_at": OLD}
            await store.aput(get_namespace("user", ""), "longunused", value)

    asyncio.run(put())
    assert [card["unused"] for card in memory.read("inbox")] == [True]
    assert memory("inbox", "keep", "longunused").returncode == 0
    assert memory.read("inbox") == [] and len(memory.read("list")) == 1
