"""What of a stored answer may be sent to which model (pure).

Thinking belongs to the model that made it: its maker may demand it back, unchanged, and every other
maker rejects it. Another maker gets text and calls only.
"""

from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage

from .providers import find_provider
from .resolver import ResolvedModel

# The mark of an answer in `additional_kwargs`: the `PROVIDER/MODEL` that gave it
MADE_BY = "model"
# Opaque parts of an answer and their order, for its own model: `{"api": …, "parts": […]}`
OUTPUT_PARTS = "output_parts"
REASONING_DETAILS = "reasoning_details"


@dataclass(frozen=True)
class Reasoning:
    """What goes back to a model of an answer's thinking."""

    text: str | None = None
    """The text of the thinking field; None: the field is not sent."""
    details: tuple[dict[str, Any], ...] = ()
    """Entries as the provider sent them."""
    parts: tuple[dict[str, Any], ...] = ()
    """All parts of the answer in order, for a protocol that signs them."""


def replay_reasoning(answer: AIMessage, target: ResolvedModel) -> Reasoning:
    """Return what of the answer's thinking goes back to the target."""
    own = is_own(answer, target)
    parts = cast("dict[str, Any]", answer.additional_kwargs.get(OUTPUT_PARTS) or {})
    if own and is_same_model(answer, target) and parts.get("api") == target.api:
        return Reasoning(parts=tuple(parts.get("parts", ())))
    echo = target.provider.reasoning_echo
    if echo is None or (echo.when == "tool_turns" and not _has_calls(answer)):
        return Reasoning()
    if echo.same_model_only:
        own = own and is_same_model(answer, target)
    if echo.field == "reasoning_details":
        details = answer.additional_kwargs.get(REASONING_DETAILS, ()) if own else ()
        return Reasoning(details=tuple(details))
    thinking = str(answer.additional_kwargs.get("reasoning_content", "")) if own else ""
    return Reasoning(text=thinking if thinking or echo.empty == "send" else None)


def is_own(answer: AIMessage, target: ResolvedModel) -> bool:
    """Return whether the target's maker gave the answer."""
    provider = find_provider(_find_maker(answer).partition("/")[0])
    return provider is not None and provider.maker_name == target.provider.maker_name


def is_same_model(answer: AIMessage, target: ResolvedModel) -> bool:
    """Return whether the target itself gave the answer."""
    return _find_maker(answer).partition("/")[2] == target.model


def _find_maker(answer: AIMessage) -> str:
    """Return `PROVIDER/MODEL` of the answer; older ones have only what the endpoint reported."""
    if made_by := answer.additional_kwargs.get(MADE_BY):
        return str(made_by)
    facts = answer.response_metadata
    provider = str(facts.get("model_provider", "")).replace("openai-compatible", "openai")
    return f"{provider}/{facts.get('model_name', '')}"


def _has_calls(answer: AIMessage) -> bool:
    return bool(answer.tool_calls or answer.invalid_tool_calls)
