"""What a search of the memory costs, beside what the store takes to read the same cards."""

import asyncio
import time
from pathlib import Path
from statistics import median

from gauge import Gauge
from memory_corpus import QUESTIONS, build_cards
from table import Row

from maxagent.memory.cards.library import CardLibrary
from maxagent.memory.cards.namespaces import get_namespace
from maxagent.memory.cards.search import rank_cards
from maxagent.memory.cards.store import CardStore, open_store

PROJECT = "0" * 16
MOST = 2.0
"""How many times the store's own read a search may take."""
MISSED = 0.1
"""Share of the questions whose card may be missing among the first three."""


def measure_memory(gauge: Gauge, project: Path) -> list[Row]:
    """How long a search takes, and how much it finds."""
    return asyncio.run(costs_of(project.with_name("memory-home")))


async def costs_of(home: Path) -> list[Row]:
    """The rows for a home that does not exist yet."""
    cards = build_cards()
    async with open_store(home) as store:
        namespace = get_namespace("project", PROJECT)
        await asyncio.gather(*(store.aput(namespace, card.id, card.to_value()) for card in cards))
        library = CardLibrary(store, home, PROJECT)
        reads, searches = await _measure(store, library)
    ratio = median(search / read for search, read in zip(searches, reads, strict=True))
    missed = [
        number
        for number, (question, _) in enumerate(QUESTIONS)
        if str(number) not in [hit.card.id for hit in rank_cards(question, cards, 3)]
    ]
    return [
        Row(
            f"search of {len(cards)} cards : the store's read of them",
            ratio,
            f"{median(searches) * 1000:.1f} ms : {median(reads) * 1000:.1f} ms",
            MOST,
        ),
        Row(
            "questions whose card is not among the first three",
            len(missed) / len(QUESTIONS),
            f"{len(missed)} : {len(QUESTIONS)}",
            MISSED,
        ),
    ]


async def _measure(store: CardStore, library: CardLibrary) -> tuple[list[float], list[float]]:
    """The processor time of each read and each search, in turn."""
    reads, searches = [], []
    for question, _ in QUESTIONS[:20]:
        begun = time.process_time()
        for scope in ("user", "project", "notes"):
            await store.asearch(get_namespace(scope, PROJECT), limit=1000)
        read = time.process_time()
        await library.search(question)
        reads.append(read - begun)
        searches.append(time.process_time() - read)
    return reads, searches
