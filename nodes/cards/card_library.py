"""The cards of a run: opened only where memory is on and the run has a store."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from langgraph.store.base import BaseStore

from ...config.errors import MaxAgentError
from ...config.settings.schema import Settings
from ...config.trust.decision import Trust
from ...memory.cards.card import SCOPES, Source
from ...memory.cards.namespaces import identify_project
from ...memory.cards.store import CardStore
from ...tools.tool_table import select_names
from ...tools.workspace import Workspace
from ..options import Options
from ..state import State
from ..tool_task import ToolTask

if TYPE_CHECKING:
    from ...memory.cards.card import Card, Scope
    from ...memory.cards.library import CardLibrary
    from ...tools.card_access import CardAccess

# In `additional_kwargs` of a note: the short IDs of the cards that it shows
SHOWN = "cards"
_MEMORY_TOOLS = select_names(lambda entry: entry.requires == "memory")
_logger = logging.getLogger(__name__)


class CardSources(Protocol):
    """What decides which cards a thread has."""

    @property
    def settings(self) -> Settings: ...
    @property
    def workspace(self) -> Workspace: ...
    @property
    def home(self) -> Path: ...
    @property
    def trust(self) -> Trust: ...


def open_library(
    store: BaseStore | None, sources: CardSources, options: Options
) -> "CardLibrary | None":
    """Return the thread's cards; None where memory is off. Blocks, but reads no card."""
    is_on = sources.settings.memory.enabled and options.get("memory", True)
    if store is None or not is_on:
        return None
    from ...memory.cards.library import CardLibrary
    from ...memory.worktrees.record import find_origins

    root = sources.workspace.root
    folder = (root, *find_origins(root, sources.home))[-1]  # of a worktree, its project
    return CardLibrary(store, sources.home, identify_project(folder), folder)


async def load_start_cards(
    store: BaseStore | None, sources: CardSources, state: State, most_bytes: int
) -> "list[Card]":
    """Return the cards that a new thread is shown."""
    if not (cards := await _read_cards(store, sources, state)):
        return []
    from .card_choice import choose_start_cards

    return choose_start_cards(cards, state["request"], most_bytes)


async def load_fitting_cards(
    store: BaseStore | None, sources: CardSources, state: State, message: str
) -> "list[Card]":
    """Return the cards that fit a later message of the user and were not shown in the thread."""
    most = sources.settings.memory.inject
    if not most or not (cards := await _read_cards(store, sources, state)):
        return []
    from .card_choice import choose_fitting_cards, find_shown_ids

    shown_ids = find_shown_ids([state.get("context_message", "")])
    for note in state.get("messages", []):
        shown_ids |= {*note.additional_kwargs.get(SHOWN, ())}
    return choose_fitting_cards(cards, message, shown_ids, most)


async def _read_cards(
    store: BaseStore | None, sources: CardSources, state: State
) -> "Sequence[Card]":
    """Return the active cards; none where they cannot be read: memory must not stop a run."""
    if isinstance(store, CardStore) and not await asyncio.to_thread(store.has_file):
        return []
    library = await asyncio.to_thread(open_library, store, sources, state.get("options", {}))
    if library is None:
        return []
    try:
        return await library.list(scopes=list_scopes(sources))
    except MaxAgentError as error:
        _logger.warning("cards cannot be read: %s", error.message)
        return []


def list_scopes(sources: CardSources) -> "Sequence[Scope]":
    """Return the scopes to read; a folder that is not trusted only names its project."""
    return SCOPES if sources.trust.trusted else ("user",)


def open_card_access(
    store: BaseStore | None, sources: CardSources, task: ToolTask, thread: str
) -> "CardAccess | None":
    """Return what a tool of notes works with; None for other tools, and where memory is off."""
    if task["call"]["name"] not in _MEMORY_TOOLS:
        return None
    library = open_library(store, sources, task["options"])
    if library is None:
        return None
    from ...tools.card_access import CardAccess

    origin = task.get("note")
    source = Source(thread=thread, by="model")
    if origin:
        by = "user" if origin["asked"] else "model"
        source = Source(thread, origin["message"], step=origin["step"], by=by)
    return CardAccess(
        library,
        source,
        list_scopes(sources),
        foreign=bool(origin and origin["foreign"]),
        can_propose=sources.settings.memory.propose,
    )
