"""From the user's words to a chat model; imports only what the chosen one needs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.settings import Settings
from .resolve import ResolvedModel, resolve

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel


def open_model(
    settings: Settings, *, spec: str = "", environ: Mapping[str, str], role: str = ""
) -> "BaseChatModel":
    """The chat model that `spec`, the settings and the environment ask for.

    `role` is whose part a script plays. Raises `UsageError`; reaches no network.
    """
    return open_resolved(resolve(settings, environ, spec), role=role)


def open_resolved(resolved: ResolvedModel, *, role: str = "") -> "BaseChatModel":
    """The chat model of a model that is already resolved."""
    if resolved.provider.name == "scripted":
        from .scripted import open_script

        return open_script(Path(resolved.model).expanduser(), role)
    if resolved.api == "responses":
        from .responses import Responses

        return Responses.of(resolved)
    from .chat_completions import ChatCompletions

    return ChatCompletions(resolved=resolved)


async def close_model(model: "BaseChatModel") -> None:
    """Close the model's connections, if it has any."""
    close = getattr(model, "aclose", None)
    if close:
        await close()
