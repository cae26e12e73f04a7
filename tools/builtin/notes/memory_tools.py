"""The tools `search_memory`, `record_note` and `recall_notes`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ....config.errors import UsageError
from ...definition import tool
from ...result import CallResult, ToolError
from ...tool_run import Run

if TYPE_CHECKING:
    from ....memory.cards.card import Card, CardType
    from ....memory.cards.library import Addition
    from ...card_access import CardAccess

# In a result's metadata: the card that was noted
CARD = "card"
MAX_CARDS, MAX_NOTES = 20, 50
SHORT_ID = 8
ANSWERS = {
    "active": "Noted as {id}; later threads are told.",
    "proposed": "Proposed as {id}: it counts in this thread; the user decides whether later "
    "threads are told.",
    "known": "Known already, as {id}.",
    "declined": "Nothing was noted: the user has dropped a note that says the same.",
}
NOTHING_FOUND = "nothing found by these words; `recall_notes` lists all notes ({count})"
NEAR = (
    "Nothing was noted: {id} says nearly the same: {content}\nIf yours is right, repeat the call "
    "with `replaces` set to `{id}`."
)


@tool("read")
async def search_memory(query: str, top_k: int = 5, *, run: Run) -> CallResult:
    """Search what was learnt in earlier threads."""
    access = _get_access(run.cards)
    if not 1 <= top_k <= MAX_CARDS:
        raise ToolError(f"`top_k` must be from 1 to {MAX_CARDS}")
    thread = access.source.thread
    hits = await access.library.search(query, limit=top_k, scopes=access.scopes, thread=thread)
    lines = [
        f"{number}. [{hit.card.type}] {_format_card(hit.card)}, score {hit.score:.1f})"
        for number, hit in enumerate(hits, 1)
    ]
    if lines:
        return CallResult("\n".join(lines))
    count = len(await _list_notes(access))
    return CallResult(NOTHING_FOUND.format(count=count) if count else "nothing found")


@tool("note")
async def record_note(
    content: str, category: str = "general", replaces: str = "", *, run: Run
) -> CallResult:
    """Note something for later threads of this project."""
    from ....memory.cards.card import CARD_TYPES
    from ....memory.cards.library import CardDraft

    access = _get_access(run.cards)
    if not access.can_write:
        raise ToolError("this folder is not trusted: nothing is noted for it")
    if not access.can_propose and access.source.by == "model":
        raise ToolError("only what the user asks you to remember is noted (`memory.propose`)")
    word = category.strip().lower() or "general"
    types: Mapping[str, CardType] = {kind: kind for kind in CARD_TYPES}
    draft = CardDraft(
        content.strip(),
        type=types.get(word, "fact"),
        scope="notes",
        tags=(word,),
        source=access.source,
        replaces=replaces,
    )
    try:
        added = await access.library.add(draft, foreign_texts=[content] if access.foreign else ())
    except UsageError as error:
        hint = f"; {error.hint}" if error.hint else ""
        raise ToolError(f"{error.message}{hint}") from error
    return _build_result(added)


@tool("read")
async def recall_notes(category: str = "", *, run: Run) -> CallResult:
    """List the notes of this project."""
    access, word = _get_access(run.cards), category.strip().lower()
    notes = [
        card for card in await _list_notes(access) if not word or word in (*card.tags, card.type)
    ]
    lines = [
        f"{number}. [{next(iter(card.tags), card.type)}] {_format_card(card)})"
        for number, card in enumerate(notes[:MAX_NOTES], 1)
    ]
    if len(notes) > MAX_NOTES:
        lines.append(f"[{len(notes) - MAX_NOTES} older ones; `search_memory` finds them]")
    return CallResult("\n".join(lines) or "there are no notes")


def _get_access(access: "CardAccess | None") -> "CardAccess":
    if access is None:
        raise ToolError("memory is off in this thread; continue without it")
    return access


async def _list_notes(access: "CardAccess") -> "list[Card]":
    cards = await access.library.list(scopes=access.scopes, states=("active", "proposed"))
    return [card for card in cards if _is_visible(card, access)]


def _is_visible(card: "Card", access: "CardAccess") -> bool:
    """Return whether it is a note, or this thread's own proposal; others' are not decided yet."""
    if card.state == "proposed":
        return card.source.thread == access.source.thread
    return card.scope == "notes"


def _format_card(card: "Card") -> str:
    """Return text and origin; the caller closes the parenthesis."""
    state = ", proposed" if card.state == "proposed" else ""
    content, day = " ".join(card.content.split()), card.updated_at[:10]
    thread = f", thread {card.source.thread[:SHORT_ID]}" if card.source.thread else ""
    origin = f"{card.id[:SHORT_ID]}, {day}, by the {card.source.by}{thread}{state}"
    return f"{content} ({origin}"


def _build_result(added: "Addition") -> CallResult:
    card = added.card
    fields = {"id": card.id[:SHORT_ID], "content": " ".join(card.content.split())}
    if added.outcome == "near":
        return CallResult(error=NEAR.format(**fields))
    is_kept = added.outcome in ("added", "updated")
    answer = ANSWERS[card.state if is_kept else added.outcome].format(**fields)
    about = {"id": card.id, "type": card.type, "content": card.content, "state": card.state}
    return CallResult(answer, metadata={CARD: about} if is_kept else {})
