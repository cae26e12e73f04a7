"""Parser of a streamed answer's JSON objects to message chunks (pure).

Text and thinking are passed on as they arrive, joined per portion of bytes. Tool calls come whole,
in the last chunk: half a call is useless, and LangChain would parse its growing arguments again
with every piece.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

from ...config.text import text
from ..error_classification import HINTS, RequestTarget, classify_stream_error
from ..errors import ContextOverflowError, ProviderFaultError
from ..http.json_fields import to_count, to_dict, to_list, to_text
from ..replay import OUTPUT_PARTS, REASONING_DETAILS, THINKING_BLOCKS
from ..text_cleanup import CharacterJoiner
from ..tool_arguments import to_valid_json
from .think_tags import ThinkingSplitter
from .tool_call_assembler import CallAssembler, StreamedCall

GROWING = ("text", "summary", "thinking")
# Finish reasons of OpenRouter, GLM and DeepSeek for a failure of the provider
FAULTS = ("error", "network_error", "insufficient_system_resource")
# Where an error that is not in `error` has its words
ERROR_FIELDS = ("message", "msg", "error_msg", "errorMessage", "detail")
OVERFLOWS = ("model_context_window_exceeded",)


class EntryAssembler:
    """Assigns every piece to its entry."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def add_deltas(self, pieces: Sequence[Mapping[str, Any]]) -> None:
        """Add the pieces of one delta."""
        for piece in pieces:
            entry = self._find_continued(piece)
            if entry is None:
                if piece not in self.entries:
                    self.entries.append(dict(piece))
                continue
            for name, value in piece.items():
                if name in GROWING and isinstance(value, str):
                    entry[name] = (entry.get(name) or "") + value
                elif value not in (None, ""):
                    entry[name] = value

    def _find_continued(self, piece: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the entry that the piece continues, or None: it starts one.

        Encrypted data comes whole. A signature ends its entry where entries have no number.
        """
        if piece.get("data"):
            return None
        number, kind = piece.get("index"), piece.get("type")
        if number is None:
            alike = [entry for entry in self.entries[-1:] if not _starts_entry(piece, entry)]
        else:
            alike = [entry for entry in self.entries if entry.get("index") == number]
        return next((entry for entry in reversed(alike) if entry.get("type") == kind), None)


def _starts_entry(piece: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    return bool(before.get("signature")) and any(piece.get(name) for name in GROWING)


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
        calls=_list_calls(message),
        details=[to_dict(piece) for piece in to_list(message.get("reasoning_details"))],
        blocks=[to_dict(piece) for piece in to_list(message.get("thinking_blocks"))],
        repeats=repeats,
        finish_reason=to_text(choice.get("finish_reason")).lower(),
        model=to_text(value.get("model")),
        usage=_parse_usage(to_dict(value.get("usage")) or to_dict(choice.get("usage"))),
        error=_find_error(value, choice),
    )


def _list_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the pieces of calls; some servers send one alone, or in the form before `tool_calls`.

    The form before has no ID and no number, and is one call.
    """
    calls: object = message.get("tool_calls")
    if isinstance(calls, dict):
        return [cast("dict[str, Any]", calls)]
    if not calls and (function := to_dict(message.get("function_call"))):
        return [{"index": 0, "function": function}]
    return [to_dict(piece) for piece in to_list(calls)]


def _find_error(value: Mapping[str, Any], choice: Mapping[str, Any]) -> object:
    """Return an error instead of an answer: `{"error": …}`, or bare `{"code": …, "msg": …}`."""
    if error := value.get("error"):
        return dict(value) if error is True else error
    if choice:
        return choice.get("error") if choice.get("finish_reason") == "error" else None
    status = to_dict(value.get("base_resp"))
    if status.get("status_code"):  # MiniMax
        return status
    is_error = any(isinstance(value.get(name), str) and value[name] for name in ERROR_FIELDS)
    errors = to_list(value.get("errors"))
    return dict(value) if is_error else errors[0] if errors else None


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
    for name in ("reasoning_content", "reasoning", "reasoning_text", "thinking"):
        if thinking := to_text(message.get(name)):
            return thinking
    if parts := [to_dict(part).get("thinking") for part in to_list(message.get("content"))]:
        return "".join(map(_join_text, parts))  # Mistral's
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


class ChatAnswerParser:
    """One answer: JSON objects in, chunks out; raises the error reported in the stream."""

    def __init__(self, target: RequestTarget, provider: str) -> None:
        self._target = target
        self._provider = "openai-compatible" if provider == "openai" else provider
        self._splitter = ThinkingSplitter()
        self._text, self._thinking = CharacterJoiner(), CharacterJoiner()
        self._calls = CallAssembler()
        self._details = EntryAssembler()
        self._blocks = EntryAssembler()
        self._usage: UsageMetadata | None = None
        self._model = target.model
        self._finish_reason = ""
        self.characters = 0
        """Characters of text and thinking so far."""
        self.progress = 0
        """Grows with each piece of the answer; a keep-alive and an empty delta do not count."""

    @property
    def is_finished(self) -> bool:
        """Return whether the model has marked its answer as complete."""
        return bool(self._finish_reason)

    @property
    def can_end(self) -> bool:
        """Return whether whole calls, or text with its count of tokens, have arrived."""
        calls = self._calls.calls
        return all(call.is_whole() for call in calls) if calls else bool(self._usage)

    def feed(self, values: Sequence[Mapping[str, Any]]) -> list[AIMessageChunk]:
        """Return the chunks of these objects: one at most."""
        parts = [self._apply_delta(parse_delta(value)) for value in values]
        thinking = self._thinking.feed("".join(thinking for thinking, _ in parts))
        return self._build_chunk(thinking, self._text.feed("".join(text for _, text in parts)))

    def close(self) -> list[AIMessageChunk]:
        """Return the last chunks, at the end of the stream."""
        self._check_finish_reason()
        thinking, text = self._splitter.close()
        thinking = self._thinking.feed(thinking) + self._thinking.close()
        text = self._text.feed(text) + self._text.close()
        return [*self._build_chunk(thinking, text), self._build_last_chunk()]

    def _build_chunk(self, thinking: str, text: str) -> list[AIMessageChunk]:
        self.characters += len(thinking) + len(text)
        extra = {"reasoning_content": thinking} if thinking else {}
        has_content = bool(thinking or text)
        return [AIMessageChunk(content=text, additional_kwargs=extra)] if has_content else []

    def _apply_delta(self, delta: Delta) -> tuple[str, str]:
        """Return the thinking and the text of a delta; keep the rest for the end."""
        if delta.error:
            raise classify_stream_error(self._target, delta.error)
        opaque = delta.details or delta.blocks
        if delta.text or delta.thinking or delta.calls or opaque or delta.finish_reason:
            self.progress += 1
        self._usage = delta.usage or self._usage
        self._model = delta.model or self._model
        self._finish_reason = delta.finish_reason or self._finish_reason
        if delta.repeats and (self.characters or self._calls.calls):
            return "", ""
        for piece in delta.calls:
            self._calls.add_delta(piece)
        self._details.add_deltas(delta.details)
        self._blocks.add_deltas(delta.blocks)
        thinking, text = self._splitter.feed(delta.text)
        return delta.thinking + thinking, text

    def _check_finish_reason(self) -> None:
        provider = self._target.label
        if self._finish_reason in OVERFLOWS:
            raise ContextOverflowError(
                text(
                    "{who} ran out of context: {finish_reason}",
                    who=provider,
                    finish_reason=self._finish_reason,
                ),
                hint=HINTS[ContextOverflowError],
            )
        if self._finish_reason in FAULTS:
            raise ProviderFaultError(
                text(
                    "{who} gave up: {finish_reason}",
                    who=provider,
                    finish_reason=self._finish_reason,
                ),
                hint=HINTS[ProviderFaultError],
            )

    def _build_last_chunk(self) -> AIMessageChunk:
        calls = self._calls.finish_calls(lambda: f"call_{uuid4().hex[:24]}")
        return AIMessageChunk(
            content="",
            additional_kwargs=self._build_marks(calls),
            tool_call_chunks=[_to_call_chunk(index, call) for index, call in enumerate(calls)],
            usage_metadata=self._usage,
            response_metadata={
                "finish_reason": self._finish_reason,
                "model_name": self._model,
                "model_provider": self._provider,
            },
            chunk_position="last",
        )

    def _build_marks(self, calls: Sequence[StreamedCall]) -> dict[str, Any]:
        """Return what the model wants back unchanged; a signature belongs to one call."""
        named = {entry.get("id") for entry in self._details.entries}
        parts: list[dict[str, Any]] = []
        for index, call in enumerate(sorted(calls, key=lambda call: not call.is_valid())):
            identity = {"id": call.id} if call.id in named else {}
            if call.extras or identity:
                parts.append({"type": "tool_call", "index": index, **identity, **call.extras})
        marks: dict[str, Any] = {
            REASONING_DETAILS: self._details.entries,
            THINKING_BLOCKS: self._blocks.entries,
            OUTPUT_PARTS: {"api": "chat", "parts": parts} if parts else None,
        }
        return {name: mark for name, mark in marks.items() if mark}


def _to_call_chunk(index: int, call: StreamedCall) -> ToolCallChunk:
    arguments = to_valid_json(call.arguments)
    return tool_call_chunk(name=call.name, args=arguments, id=call.id, index=index)
