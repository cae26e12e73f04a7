"""Cards that a model proposes in a summary, besides those that it notes itself."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langgraph.store.base import BaseStore

from ...config.errors import MaxAgentError
from ...config.security.redaction import redact
from ...config.text import text
from ...memory.cards.admission import CardRefusedError
from ...memory.cards.card import Card, CardType, Source
from ...memory.cards.library import CardDraft
from ..state import State
from .card_library import CardSources, open_library
from .note_origin import collect_foreign_texts

MAX_PROPOSALS = 3
HELD_BACK = 'a card was held back: {reason}: "{content}"'
_MAX_SHOWN = 200
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Candidate:
    """What a summary wants to be remembered."""

    content: str
    type: CardType = "fact"


async def propose_cards(
    store: BaseStore | None,
    sources: CardSources,
    state: State,
    thread: str,
    candidates: Sequence[Candidate],
    report: Callable[[str], None] = lambda notice: None,
) -> list[Card]:
    """Keep the candidates as proposals of the project; return those that are new.

    `report` gets a notice for one that may become no card; one that says what another says is left
    out without a word. Nothing is proposed of a folder that is not trusted.
    """
    can_propose = sources.settings.memory.propose and sources.trust.trusted and candidates
    if not can_propose:
        return []
    library = await asyncio.to_thread(open_library, store, sources, state.get("options", {}))
    if library is None:
        return []
    foreign_texts = collect_foreign_texts(state.get("messages", []))
    message, step = state.get("message_id", ""), state.get("steps", 0)
    source = Source(thread, message, step=step, by="model")
    proposed: list[Card] = []
    for candidate in candidates[:MAX_PROPOSALS]:
        draft = CardDraft(candidate.content, candidate.type, source=source)
        try:
            addition = await library.add(draft, foreign_texts=foreign_texts)
        except CardRefusedError as error:
            content = _shorten(candidate.content)
            report(text(HELD_BACK, reason=error.message, content=content))
            continue
        except MaxAgentError as error:
            _logger.info("no card: %s", error.message)
            continue
        if addition.outcome == "added":
            proposed.append(addition.card)
    return proposed


def _shorten(content: str) -> str:
    """Return the beginning of a refused text, without secrets, in one line."""
    return redact(" ".join(content.split()))[:_MAX_SHOWN]
