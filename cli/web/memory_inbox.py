"""The memory inbox on the page: cards of every folder that wait for the user's decision."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ...config.errors import UsageError
from ...config.text import text
from ..i18n.catalogs import t
from ..lazy_imports import without_collector
from .api import Api, NotFoundError
from .request_body import read_object

if TYPE_CHECKING:
    from ...memory.cards.card import Card


class MemoryInbox:
    """Lists the cards, and does what the user decides."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def list_cards(self, _: Request) -> Response:
        """Return the cards that wait, the newest first."""
        cards = await self._read()
        described = [_describe(card, folder) for card, folder in cards.values()]
        return JSONResponse({"cards": described})

    async def decide(self, request: Request) -> Response:
        """Keep a card, also with another text, or drop it."""
        body = await read_object(request)
        action, content = body.get("action"), body.get("content")
        if action not in ("keep", "drop"):
            raise UsageError(
                text("a card can be kept or dropped, not {action}", action=repr(action))
            )
        if content is not None and not isinstance(content, str):
            raise UsageError(text("`{name}` must be a text", name="content"))
        cards = await self._read()
        if (waiting := cards.get(request.path_params["card"])) is None:
            raise NotFoundError("the card no longer waits", hint="the page shows those that do")
        await self._apply(*waiting, action, content)
        return JSONResponse({})

    async def _apply(self, card: "Card", folder: str, action: str, content: str | None) -> None:
        def load() -> Any:
            with without_collector():
                from ...memory.cards.store import open_library

                return open_library

        open_library = await asyncio.to_thread(load)
        async with open_library(self._api.home, Path(folder)) as library:
            if action == "drop":
                await library.retire(card.id)
            elif content is None or content.strip() == card.content:
                await library.activate(card.id)
            else:
                await library.edit(card.id, content=content)

    async def _read(self) -> "dict[str, tuple[Card, str]]":
        folders = await self._api.list_folders()
        return await asyncio.to_thread(lambda: dict(self._read_folders(folders)))

    def _read_folders(self, folders: list[str]) -> "Iterator[tuple[str, tuple[Card, str]]]":
        from ...memory.cards.listing import read_cards
        from ...memory.cards.namespaces import identify_project

        projects = {identify_project(Path(folder)): folder for folder in reversed(folders)}
        for project, folder in reversed(projects.items()):
            for card in read_cards(self._api.home, project):
                if card.is_waiting():
                    yield card.id, (card, folder)


def _describe(card: "Card", folder: str) -> dict[str, str]:
    is_proposed = card.state == "proposed"
    return {
        "id": card.id,
        "content": card.content,
        "type": t(f"memory.type.{card.type}"),
        "reason": t("memory.inbox.proposed" if is_proposed else "memory.inbox.unused"),
        "place": t("memory.inbox.user") if card.scope == "user" else folder,
        "thread": card.source.thread,
    }
