"""From a resolved model to a chat model; imports only what the chosen one needs."""

from pathlib import Path
from typing import TYPE_CHECKING

from .resolver import ResolvedModel

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel


def open_model(resolved: ResolvedModel, *, role: str = "") -> "BaseChatModel":
    """The chat model; `role` is whose part a script plays. Reaches no network."""
    if resolved.provider.name == "scripted":
        from .scripted_model import open_script

        return open_script(Path(resolved.model).expanduser(), role)
    if resolved.api == "responses":
        from .openai_responses import ResponsesModel

        return ResponsesModel.from_resolved(resolved)
    from .chat_completions.chat_model import ChatCompletions

    return ChatCompletions(resolved=resolved)


async def close_model(model: "BaseChatModel") -> None:
    """Close the model's connections, if it has any."""
    close = getattr(model, "aclose", None)
    if close:
        await close()
