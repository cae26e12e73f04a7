"""Chat models that are open: whoever asks the same model shares its connections."""

from typing import TYPE_CHECKING

from .factory import close_model, open_model
from .resolver import ResolvedModel

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel


class ModelPool:
    """Those that were asked for, until they are closed together."""

    def __init__(self) -> None:
        self._opened: list[tuple[ResolvedModel, str, BaseChatModel]] = []

    def get(self, resolved: ResolvedModel, role: str) -> "BaseChatModel":
        """One for all roles; of a script, which has a part for each, one for each."""
        part = role if resolved.provider.name == "scripted" else ""
        for model, whose, opened in self._opened:
            if (model, whose) == (resolved, part):
                return opened
        chat_model = open_model(resolved, role=part)
        self._opened.append((resolved, part, chat_model))
        return chat_model

    async def close(self) -> None:
        """Close their connections."""
        for _, _, chat_model in self._opened:
            await close_model(chat_model)
