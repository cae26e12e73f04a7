"""Parser of one JSON object of a stream, with any vendor's field names (pure).

No format is trusted: invalid fields count as absent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages.ai import UsageMetadata


@dataclass(frozen=True)
class Delta:
    """The part of an answer in one JSON object."""

    text: str = ""
    thinking: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Pieces of tool calls as they arrived."""
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
    message = _to_dict(choice.get("message") if repeats else choice["delta"])
    return Delta(
        text=_join_text(message.get("content")) + _to_text(message.get("refusal")),
        thinking=_find_thinking(message),
        calls=[_to_dict(piece) for piece in _to_list(message.get("tool_calls"))],
        repeats=repeats,
        finish_reason=_to_text(choice.get("finish_reason")),
        model=_to_text(value.get("model")),
        usage=_parse_usage(_to_dict(value.get("usage")) or _to_dict(choice.get("usage"))),
        error=_find_error(value, choice),
    )


def _find_error(value: Mapping[str, Any], choice: Mapping[str, Any]) -> object:
    """Return an error instead of an answer: `{"error": …}`, or bare `{"code": …, "message": …}`."""
    bare = not choice and isinstance(value.get("message"), str) and value.get("code")
    return value.get("error") or (dict(value) if bare else None)


def _get_first_choice(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first choice; we request no others."""
    choices = [_to_dict(choice) for choice in _to_list(value.get("choices"))]
    first = [choice for choice in choices if not choice.get("index")]
    return first[0] if first else {}


def _join_text(content: object) -> str:
    """Return the text of a content: a string, or parts as Mistral sends them."""
    if isinstance(content, str):
        return content
    return "".join(_to_text(_to_dict(part).get("text")) for part in _to_list(content))


def _find_thinking(message: Mapping[str, Any]) -> str:
    """Return the thinking under any of its names; OpenRouter sends it under two of them."""
    for name in ("reasoning_content", "reasoning"):
        if found := _to_text(message.get(name)):
            return found
    details = [_to_dict(part) for part in _to_list(message.get("reasoning_details"))]
    return "".join(_to_text(part.get("text")) or _to_text(part.get("summary")) for part in details)


def _parse_usage(counts: Mapping[str, Any]) -> UsageMetadata | None:
    if not counts:
        return None
    cached = (
        _to_count(_to_dict(counts.get("prompt_tokens_details")).get("cached_tokens"))
        or _to_count(counts.get("prompt_cache_hit_tokens"))  # DeepSeek
        or _to_count(counts.get("cached_tokens"))  # Kimi
    )
    thought = _to_count(_to_dict(counts.get("completion_tokens_details")).get("reasoning_tokens"))
    read_ = _to_count(counts.get("prompt_tokens")) or _to_count(counts.get("input_tokens"))
    written = _to_count(counts.get("completion_tokens")) or _to_count(counts.get("output_tokens"))
    return UsageMetadata(
        input_tokens=read_,
        output_tokens=written,
        total_tokens=_to_count(counts.get("total_tokens")) or read_ + written,
        input_token_details={"cache_read": cached},
        output_token_details={"reasoning": thought},
    )


def _to_dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _to_list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _to_count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**63 else 0
