"""What of a stored answer may be sent to which model (pure).

Thinking belongs to the model that made it: its maker may demand it back, unchanged, and every other
maker rejects it. Another maker gets text and calls only.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages import AIMessage

from .content_blocks import list_content_parts
from .providers import Api, find_provider
from .resolver import ResolvedModel

# The mark of an answer in `additional_kwargs`: the `PROVIDER/MODEL` that gave it
MADE_BY = "model"
# Opaque parts of an answer and their order, for its own model: `{"api": …, "parts": […]}`
OUTPUT_PARTS = "output_parts"
# Thinking as OpenRouter and LiteLLM send it, entry by entry
REASONING_DETAILS = "reasoning_details"
THINKING_BLOCKS = "thinking_blocks"
# Fields of an answer that the parser keeps so that `ReasoningEcho.fields` can send them back
REASONING_FIELDS = (REASONING_DETAILS, THINKING_BLOCKS)
# A date that OpenAI adds to the name of the model that was asked
RELEASE = re.compile(r"-\d{4}-\d\d-\d\d$")


@dataclass(frozen=True)
class Reasoning:
    """What goes back to a model of an answer's thinking."""

    text: str | None = None
    """The text of the thinking field; None: the field is not sent."""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Other fields of the answer, as the provider sent them."""
    parts: tuple[dict[str, Any], ...] = ()
    """Parts of the answer in order, for a protocol that signs them."""


def replay_reasoning(answer: AIMessage, target: ResolvedModel) -> Reasoning:
    """Return what of the answer's thinking goes back to the target."""
    own = is_own(answer, target)
    is_same = own and is_same_model(answer, target)
    parts = _list_parts(answer, target.api) if is_same else ()
    echo = target.provider.reasoning_echo
    if target.api == "anthropic" and (echo is None or echo.field != "thinking_block"):
        return Reasoning(parts=_filter_signed(parts))
    needs_none = echo is None or (echo.when == "tool_turns" and not _has_calls(answer))
    if echo is None or needs_none or (parts and target.api != "chat"):
        return Reasoning(parts=parts)
    extra = answer.additional_kwargs if (is_same if echo.same_model_only else own) else {}
    thinking = str(extra.get("reasoning_content", ""))
    is_sent = bool(echo.field) and (bool(thinking) or echo.empty == "send")
    return Reasoning(
        text=thinking if is_sent else None,
        fields={name: extra[name] for name in echo.fields if extra.get(name)},
        parts=parts,
    )


def without_output_parts(marks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the marks of an answer whose text or calls have changed: its parts no longer fit."""
    return {name: mark for name, mark in marks.items() if name != OUTPUT_PARTS}


def is_own(answer: AIMessage, target: ResolvedModel) -> bool:
    """Return whether the target's maker gave the answer."""
    provider = find_provider(_find_maker(answer).partition("/")[0])
    return provider is not None and provider.maker_name == target.provider.maker_name


def is_same_model(answer: AIMessage, target: ResolvedModel) -> bool:
    """Return whether the target itself gave the answer."""
    name = _find_maker(answer).partition("/")[2]
    is_marked = MADE_BY in answer.additional_kwargs
    return target.model in (name, name if is_marked else RELEASE.sub("", name))


def _list_parts(answer: AIMessage, api: Api) -> tuple[dict[str, Any], ...]:
    """Return the opaque parts of the answer, if it was given in that protocol."""
    stored = cast("dict[str, Any]", answer.additional_kwargs.get(OUTPUT_PARTS) or {})
    protocol = "responses" if api == "langchain-openai" else api
    if stored.get("api") == protocol:
        return tuple(stored.get("parts", ()))
    return tuple(list_content_parts(answer.content)) if protocol == "responses" else ()


def _filter_signed(parts: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
    """Return the parts without unsigned thinking, which a cut answer has."""
    return tuple(part for part in parts if part.get("type") != "thinking" or part.get("signature"))


def _find_maker(answer: AIMessage) -> str:
    """Return `PROVIDER/MODEL` of the answer; older ones have only what the endpoint reported."""
    if made_by := answer.additional_kwargs.get(MADE_BY):
        return str(made_by)
    facts = answer.response_metadata
    provider = str(facts.get("model_provider", "")).replace("openai-compatible", "openai")
    return f"{provider}/{facts.get('model_name', '')}"


def _has_calls(answer: AIMessage) -> bool:
    return bool(answer.tool_calls or answer.invalid_tool_calls)
