"""Counts of the cards that a run has shown to its models; they decide what is shown first."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from langgraph.store.base import BaseStore

from ..config.errors import MaxAgentError
from ..nodes.run.dependencies import Dependencies
from .events import Completion, Event, MemoryShown

_logger = logging.getLogger(__name__)


async def count_card_uses(
    events: AsyncGenerator[Event], store: BaseStore | None, deps: Dependencies
) -> AsyncGenerator[Event]:
    """Pass the events on; when the turn is complete, count the cards that it has shown."""
    shown_ids = set[str]()
    async with aclosing(events):
        async for event in events:
            if isinstance(event, MemoryShown):
                shown_ids |= {card["id"] for card in event.cards}
            if isinstance(event, Completion) and shown_ids:
                await _count(shown_ids, store, deps)
            yield event


async def _count(card_ids: set[str], store: BaseStore | None, deps: Dependencies) -> None:
    from ..nodes.cards.card_library import open_library

    library = await asyncio.to_thread(open_library, store, deps, {})
    try:
        if library:
            await library.mark_used(card_ids)
    except MaxAgentError as error:  # the answer is complete, whatever is counted
        _logger.warning("uses of cards are not counted: %s", error.message)
