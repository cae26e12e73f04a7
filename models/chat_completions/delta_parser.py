"""Parser of one JSON object of a stream, with any vendor's field names (pure).

No format is trusted: invalid fields count as absent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages.ai import UsageMetadata

from ..http.json_fields import to_count, to_dict, to_list, to_text


@dataclass(frozen=True)
class Delta:
    """The part of an answer in one JSON object."""

    text: str = ""
    thinking: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Pieces of tool calls as they arrived."""
    details: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Pieces of `reasoning_details` as they arrived."""
    blocks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Pieces of `thinking_blocks` as they arrived."""
    repeats: bool = False
    """This is the whole answer, not its next piece."""
    finish_reason: str = ""
    model: str = ""
    usage: UsageMetadata | None = None
    """Token counts of the whole answer so far."""
    error: object = None


def parse_delta(value: Mapping[str, Any]) -> Delta:
    """Return the delta in one JSON object of a stream, or in an answer that is not streamed."""
    choice = _get_first_choice(value)
    repeats = not isinstance(choice.get("delta"), dict)
    message = to_dict(choice.get("message") if repeats else choice["delta"])
    return Delta(
        text=_join_text(message.get("content")) + to_text(message.get("refusal")),
        thinking=_find_thinking(message),
        calls=[to_dict(piece) for piece in to_list(message.get("tool_calls"))],
        details=[to_dict(piece) for piece in to_list(message.get("reasoning_details"))],
        blocks=[to_dict(piece) for piece in to_list(message.get("thinking_blocks"))],
        repeats=repeats,
        finish_reason=to_text(choice.get("finish_reason")),
        model=to_text(value.get("model")),
        usage=_parse_usage(to_dict(value.get("usage")) or to_dict(choice.get("usage"))),
        error=_find_error(value, choice),
    )


def _find_error(value: Mapping[str, Any], choice: Mapping[str, Any]) -> object:
    """Return an error instead of an answer: `{"error": …}`, or bare `{"code": …, "message": …}`."""
    bare = not choice and isinstance(value.get("message"), str) and value.get("code")
    return value.get("error") or (dict(value) if bare else None)


def _get_first_choice(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first choice; we request no others."""
    choices = [to_dict(choice) for choice in to_list(value.get("choices"))]
    first = [choice for choice in choices if not choice.get("index")]
    return first[0] if first else {}


def _join_text(content: object) -> str:
    """Return the text of a content: a string, or parts as Mistral sends them."""
    if isinstance(content, str):
        return content
    return "".join(to_text(to_dict(part).get("text")) for part in to_list(content))


def _find_thinking(message: Mapping[str, Any]) -> str:
    """Return the thinking under any of its names; OpenRouter sends it under two of them."""
    for name in ("reasoning_content", "reasoning"):
        if thinking := to_text(message.get(name)):
            return thinking
    details = [to_dict(part) for part in to_list(message.get("reasoning_details"))]
    return "".join(to_text(part.get("text")) or to_text(part.get("summary")) for part in details)


def _parse_usage(counts: Mapping[str, Any]) -> UsageMetadata | None:
    if not counts:
        return None
    cached = (
        to_count(to_dict(counts.get("prompt_tokens_details")).get("cached_tokens"))
        or to_count(counts.get("prompt_cache_hit_tokens"))  # DeepSeek
        or to_count(counts.get("cached_tokens"))  # Kimi
    )
    thought = to_count(to_dict(counts.get("completion_tokens_details")).get("reasoning_tokens"))
    read_ = to_count(counts.get("prompt_tokens")) or to_count(counts.get("input_tokens"))
    written = to_count(counts.get("completion_tokens")) or to_count(counts.get("output_tokens"))
    read_ += cached if cached > read_ else 0  # counted apart
    return UsageMetadata(
        input_tokens=read_,
        output_tokens=written,
        total_tokens=to_count(counts.get("total_tokens")) or read_ + written,
        input_token_details={"cache_read": cached},
        output_token_details={"reasoning": thought},
    )
