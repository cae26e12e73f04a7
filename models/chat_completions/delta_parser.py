"""Reads one JSON object of a stream, under the names of any vendor (pure).

Nothing here trusts a shape: what is not as it should be counts as absent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages.ai import UsageMetadata


@dataclass(frozen=True)
class Delta:
    """What one JSON object adds to an answer."""

    text: str = ""
    thinking: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Pieces of tool calls as they came."""
    repeats: bool = False
    """This is the whole answer, not its next piece."""
    finish_reason: str = ""
    model: str = ""
    usage: UsageMetadata | None = None
    """Token counts of the whole answer so far."""
    error: object = None


def read(value: Mapping[str, Any]) -> Delta:
    """The delta in one JSON object of a stream, or in an answer that is not streamed."""
    choice = _first_choice(value)
    repeats = not isinstance(choice.get("delta"), dict)
    message = _fields(choice.get("message") if repeats else choice["delta"])
    return Delta(
        text=_text(message.get("content")) + _string(message.get("refusal")),
        thinking=_thinking(message),
        calls=[_fields(piece) for piece in _items(message.get("tool_calls"))],
        repeats=repeats,
        finish_reason=_string(choice.get("finish_reason")),
        model=_string(value.get("model")),
        usage=_usage(_fields(value.get("usage")) or _fields(choice.get("usage"))),
        error=_error(value, choice),
    )


def _error(value: Mapping[str, Any], choice: Mapping[str, Any]) -> object:
    """An error in place of an answer: `{"error": …}`, or bare `{"code": …, "message": …}`."""
    bare = not choice and isinstance(value.get("message"), str) and value.get("code")
    return value.get("error") or (dict(value) if bare else None)


def _first_choice(value: Mapping[str, Any]) -> dict[str, Any]:
    """The first of the choices; nobody asked for others."""
    choices = [_fields(choice) for choice in _items(value.get("choices"))]
    first = [choice for choice in choices if not choice.get("index")]
    return first[0] if first else {}


def _text(content: object) -> str:
    """The text of a content: a string, or parts as Mistral has them."""
    if isinstance(content, str):
        return content
    return "".join(_string(_fields(part).get("text")) for part in _items(content))


def _thinking(message: Mapping[str, Any]) -> str:
    """The thinking under any of its names; OpenRouter sends the same under two of them."""
    for name in ("reasoning_content", "reasoning"):
        if found := _string(message.get(name)):
            return found
    details = [_fields(part) for part in _items(message.get("reasoning_details"))]
    return "".join(_string(part.get("text")) or _string(part.get("summary")) for part in details)


def _usage(counts: Mapping[str, Any]) -> UsageMetadata | None:
    if not counts:
        return None
    cached = (
        _number(_fields(counts.get("prompt_tokens_details")).get("cached_tokens"))
        or _number(counts.get("prompt_cache_hit_tokens"))  # DeepSeek
        or _number(counts.get("cached_tokens"))  # Kimi
    )
    thought = _number(_fields(counts.get("completion_tokens_details")).get("reasoning_tokens"))
    read_ = _number(counts.get("prompt_tokens")) or _number(counts.get("input_tokens"))
    written = _number(counts.get("completion_tokens")) or _number(counts.get("output_tokens"))
    return UsageMetadata(
        input_tokens=read_,
        output_tokens=written,
        total_tokens=_number(counts.get("total_tokens")) or read_ + written,
        input_token_details={"cache_read": cached},
        output_token_details={"reasoning": thought},
    )


def _fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**63 else 0
