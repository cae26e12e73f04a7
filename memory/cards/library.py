"""The cards of one project and its user: every reading and writing of them by a run."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from ...config import paths
from ...config.security.file_lock import acquire_file_lock
from .admission import check_card, check_permission_speech
from .card import (
    SCOPES,
    Card,
    CardState,
    CardType,
    Reason,
    Scope,
    Source,
    card_from_value,
    format_now,
    is_visible,
    read_searched_text,
    retire_card,
)
from .card_lookup import find_card
from .duplicates import find_similar
from .folder_record import record_folder
from .namespaces import LINKS, Namespace, get_namespace
from .search import CardHit, score_similar_words, score_texts

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore, SearchItem

PAGE = 1000
KEPT: tuple[CardState, ...] = ("proposed", "active")


@dataclass(frozen=True)
class CardDraft:
    """What is to become a card."""

    content: str
    type: CardType = "fact"
    scope: Scope = "project"
    tags: tuple[str, ...] = ()
    source: Source = field(default_factory=Source)
    """A card of the model is proposed, one of the user active at once."""
    replaces: str = ""
    """ID of the card that it corrects; retired as soon as this one is active."""
    paths: tuple[str, ...] = ()
    expires_at: str = ""
    by_hand: bool = False
    """Whether a person has typed it, who is told if it sounds like a permission."""


@dataclass(frozen=True)
class Addition:
    """What came of a draft.

    `added`: `card` is new · `updated`: `card` said the same and now has the draft's words ·
    `known`: `card` says the same and stays as it is · `near`: nothing was kept; `card` says nearly
    the same, so which of them stands must be said (`replaces`) · `declined`: nothing was kept; the
    user has dropped or forgotten `card`, which says the same.
    """

    outcome: Literal["added", "updated", "known", "near", "declined"]
    card: Card
    retired: Card | None = None
    """The card that was corrected."""


class CardLibrary:
    """The cards of one project and its user; also the notes of the project.

    Writes of several processes follow one another. Where memory is off, none is
    opened, so that nothing calls the store.
    """

    def __init__(
        self, store: "BaseStore", home: Path, project: str, folder: Path | None = None
    ) -> None:
        """Open the library; `project` is from `identify_project(folder)`. Nothing is read yet."""
        self._store = store
        self._home = home
        self._project = project
        self._folder = folder
        self._linked: str | None = None

    async def list(
        self,
        *,
        scopes: Collection[Scope] = SCOPES,
        states: Collection[CardState] = ("active",),
    ) -> Sequence[Card]:
        """Return the cards in these states, the newest first; expired ones count as retired."""
        cards: list[Card] = []
        for scope in SCOPES:
            if scope in scopes:
                cards += await self._read_scope(scope)
        matching_cards = [card for card in cards if card.get_state() in states]
        return sorted(matching_cards, key=lambda card: (card.created_at, card.id), reverse=True)

    async def get(self, card_id: str) -> Card | None:
        """Return the card with this ID, in any state; None if there is none."""
        for scope in SCOPES:
            item = await self._store.aget(await self._locate(scope), card_id)
            if item and (card := card_from_value(card_id, scope, item.value)):
                return card
        return None

    async def find(self, prefix: str) -> Card:
        """Return the card whose ID begins so; raises UsageError if none or several do."""
        return find_card(prefix, await self.list(states=("proposed", "active", "retired")))

    async def add(
        self, draft: CardDraft, *, foreign_texts: Sequence[str] = (), allow_near: bool = False
    ) -> Addition:
        """Keep a draft: proposed if the model made it, else active.

        `foreign_texts` are texts that neither the user nor the project wrote. Raises
        CardRefusedError if the draft may become no card, UsageError if `replaces` names none.
        """
        labels, is_typed = (*draft.tags, *draft.paths), draft.by_hand
        await asyncio.to_thread(check_card, draft.content, labels, foreign_texts, by_hand=is_typed)
        async with self._write():
            return await self._add_checked(draft, allow_near)

    async def edit(
        self,
        card_id: str,
        *,
        content: str | None = None,
        type: CardType | None = None,
        tags: tuple[str, ...] | None = None,
        paths: tuple[str, ...] | None = None,
        expires_at: str | None = None,
        by_hand: bool = False,
    ) -> Card:
        """Change a card as the user says; a proposed one becomes active, as it was read."""
        async with self._write():
            card = await self._get_known(card_id)
            changed = replace(
                card,
                content=card.content if content is None else content.strip(),
                type=type or card.type,
                tags=card.tags if tags is None else tags,
                paths=card.paths if paths is None else paths,
                expires_at=card.expires_at if expires_at is None else expires_at,
                updated_at=format_now(),
            )
            labels = (*changed.tags, *changed.paths)
            await asyncio.to_thread(check_card, changed.content, labels, by_hand=by_hand)
            return (await self._activate(changed))[0]

    async def activate(self, card_id: str) -> Card:
        """Keep a proposed, retired or expired card; what it corrects is retired."""
        async with self._write():
            card = await self._get_known(card_id)
            await asyncio.to_thread(check_permission_speech, card.content, *card.tags, *card.paths)
            end = "" if card.is_expired() else card.expires_at
            return (await self._activate(replace(card, updated_at=format_now(), expires_at=end)))[0]

    async def retire(self, card_id: str, reason: Reason = "dropped") -> Card:
        """Retire a card: it is no longer shown or found, and not proposed again if dropped."""
        async with self._write():
            card = retire_card(await self._get_known(card_id), reason)
            await self._put(card)
            return card

    async def delete(self, card_id: str) -> None:
        """Delete a card for good."""
        async with self._write():
            card = await self._get_known(card_id)
            await self._store.adelete(await self._locate(card.scope), card.id)

    async def search(
        self, query: str, *, limit: int = 5, scopes: Collection[Scope] = SCOPES, thread: str = ""
    ) -> Sequence[CardHit]:
        """Return the active cards, and the thread's own proposals, that match best, best first."""
        items: list[tuple[Scope, SearchItem]] = [
            (scope, item)
            for scope in SCOPES
            if scope in scopes
            for item in await self._read_items(scope)
            if is_visible(item.value, thread)
        ]
        texts = [read_searched_text(item.value) for _, item in items]
        scores = score_texts(query, texts) or score_similar_words(query, texts)
        hits: list[CardHit] = []
        for number in sorted(scores, key=lambda number: scores[number], reverse=True):
            scope, item = items[number]
            if len(hits) >= limit and scores[number] < hits[limit - 1].score:
                break
            if (card := card_from_value(item.key, scope, item.value)) and not card.is_expired():
                hits.append(CardHit(card, scores[number]))
        hits.sort(key=lambda hit: (hit.score, hit.card.updated_at, hit.card.id), reverse=True)
        return hits[:limit]

    async def mark_used(self, card_ids: Collection[str]) -> None:
        """Count that these cards were shown to a model; unknown IDs are ignored."""
        if not card_ids:
            return
        async with self._write():
            for card in await self.list(states=KEPT):
                if card.id in card_ids:
                    await self._put(replace(card, uses=card.uses + 1, used_at=format_now()))

    async def retire_after(self, thread: str, step: int) -> Sequence[Card]:
        """Retire what the model proposed in a thread after this step, which was rewound; return it.

        Cards of the user stay, also those of the model that the user has kept or edited.
        """
        async with self._write():
            proposals = [
                card
                for card in await self.list(states=("proposed",))
                if card.source.thread == thread
                and card.source.step > step
                and card.source.by == "model"
            ]
            retired = [retire_card(card, "rewound") for card in proposals]
            for card in retired:
                await self._put(card)
            return retired

    async def restore(self, card: Card) -> bool:
        """Put back a card of an archive, if no other says the same; raises CardRefusedError."""
        await asyncio.to_thread(check_card, card.content, (*card.tags, *card.paths))
        async with self._write():
            others = await self.list(scopes=(card.scope,), states=(*KEPT, "retired"))
            kind = card.type, card.get_state()
            like = [other for other in others if (other.type, other.get_state()) == kind]
            similar = find_similar(card.content, like)
            if (similar and similar.is_same) or any(other.id == card.id for other in others):
                return False
            await self._put(card)
            return True

    async def link(self, other: str) -> int:
        """Use the memory of another project from now on; the cards of this one move there.

        Return how many moved. The project itself ends the link: its cards stay with the other.
        """
        async with self._write():
            await self._record_folder()
            if other == self._project:
                await self._store.aput(LINKS, other, {"project": other})
                self._linked = other
                return 0
            moved, target = 0, await self._resolve_link(other)
            if target == (current := await self._get_project()):
                return 0
            for scope in ("project", "notes"):
                for card in await self._read_scope(scope):
                    await self._store.aput(get_namespace(scope, target), card.id, card.to_value())
                    await self._store.adelete(get_namespace(scope, current), card.id)
                    moved += 1
            for project in {self._project, current, *await self._list_linked(current)}:
                await self._store.aput(LINKS, project, {"project": target})
            self._linked = target
            return moved

    async def _add_checked(self, draft: CardDraft, allow_near: bool) -> Addition:
        corrected = await self._get_known(draft.replaces) if draft.replaces else None
        others = [
            card
            for card in await self.list(scopes=(draft.scope,), states=(*KEPT, "retired"))
            if card.type == draft.type and card != corrected
        ]
        current = [card for card in others if card.get_state() != "retired"]
        similar = find_similar(draft.content, current)
        if similar and similar.is_same:
            return await self._merge(draft, similar.card, corrected)
        if draft.source.by == "model":
            declined = [card for card in others if card.reason == "dropped"]
            again = find_similar(draft.content, declined)
            if again and again.is_same:
                return Addition("declined", again.card)
        if similar and not (allow_near or corrected):
            return Addition("near", similar.card)
        card, retired = await self._put_new(draft)
        return Addition("added", card, retired)

    async def _merge(self, draft: CardDraft, card: Card, corrected: Card | None) -> Addition:
        """Let a draft meet a card that says the same.

        What the model says does not change a card that the user has: it proposes a correction.
        """
        by_user = draft.source.by == "user"
        if draft.content.strip() == card.content and not (by_user and card.state == "proposed"):
            return Addition("known", card)
        if by_user or (card.state == "proposed" and card.source.by == "model"):
            changed = replace(
                card,
                content=draft.content.strip(),
                tags=draft.tags or card.tags,
                paths=draft.paths or card.paths,
                source=draft.source,
                replaces=draft.replaces or card.replaces,
                expires_at=draft.expires_at or card.expires_at,
                updated_at=format_now(),
            )
            if by_user:
                changed, retired = await self._activate(changed)
                return Addition("updated", changed, retired)
            await self._put(changed)
            return Addition("updated", changed)
        added, retired = await self._put_new(replace(draft, replaces=(corrected or card).id))
        return Addition("added", added, retired)

    async def _put_new(self, draft: CardDraft) -> tuple[Card, Card | None]:
        now = format_now()
        card = Card(
            id=str(uuid4()),
            content=draft.content.strip(),
            type=draft.type,
            scope=draft.scope,
            tags=draft.tags,
            state="proposed",
            source=draft.source,
            created_at=now,
            updated_at=now,
            replaces=draft.replaces,
            paths=draft.paths,
            expires_at=draft.expires_at,
        )
        if draft.source.by == "user":
            return await self._activate(card)
        await self._put(card)
        return card, None

    async def _activate(self, card: Card) -> tuple[Card, Card | None]:
        """Store a card as active, and retire the one that it corrects."""
        active = replace(card, state="active", reason="")
        await self._put(active)
        corrected = await self.get(card.replaces) if card.replaces else None
        if corrected is None or corrected.state == "retired":
            return active, None
        retired = retire_card(corrected, "corrected")
        await self._put(retired)
        return active, retired

    async def _get_known(self, card_id: str) -> Card:
        card = await self.get(card_id)
        return card or await self.find(card_id)

    async def _put(self, card: Card) -> None:
        if card.scope != "user":
            await self._record_folder()
        await self._store.aput(await self._locate(card.scope), card.id, card.to_value())

    async def _record_folder(self) -> None:
        folder, self._folder = self._folder, None
        if folder:
            await record_folder(self._store, self._project, folder)

    async def _read_scope(self, scope: Scope) -> Sequence[Card]:
        items = await self._read_items(scope)
        read = (card_from_value(item.key, scope, item.value) for item in items)
        return [card for card in read if card]

    async def _read_items(self, scope: Scope) -> "Sequence[SearchItem]":
        namespace, items = await self._locate(scope), dict[str, "SearchItem"]()
        for offset in count(0, PAGE):
            page = await self._store.asearch(namespace, limit=PAGE, offset=offset)
            # the prefix of namespaces that are longer matches, too
            items |= {item.key: item for item in page if tuple(item.namespace) == namespace}
            if len(page) < PAGE:
                break
        return [*items.values()]

    async def _locate(self, scope: Scope) -> Namespace:
        return get_namespace(scope, await self._get_project())

    async def _get_project(self) -> str:
        if self._linked is None:
            self._linked = await self._resolve_link(self._project)
        return self._linked

    async def _list_linked(self, target: str) -> Sequence[str]:
        items = await self._store.asearch(LINKS, limit=PAGE)
        return [item.key for item in items if item.value.get("project") == target]

    async def _resolve_link(self, project: str) -> str:
        item = await self._store.aget(LINKS, project)
        linked = item.value.get("project") if item else None
        return linked if isinstance(linked, str) and linked else project

    @asynccontextmanager
    async def _write(self) -> AsyncGenerator[None]:
        """Let no other process write between our read and our write."""
        path = await asyncio.to_thread(paths.locate_memory, self._home)
        async with acquire_file_lock(path.with_suffix(".lock")):
            yield
