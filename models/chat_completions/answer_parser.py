"""Parser of a streamed answer's JSON objects to message chunks (pure).

Text and thinking are passed on as they arrive, joined per portion of bytes. Tool calls come whole,
in the last chunk: half a call is useless, and LangChain would parse its growing arguments again
with every piece.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

from ...config.text import text
from ..error_classification import HINTS, RequestTarget, classify_stream_error
from ..errors import ContextOverflowError, ProviderFaultError
from ..replay import OUTPUT_PARTS, REASONING_DETAILS, THINKING_BLOCKS
from ..text_cleanup import CharacterJoiner
from ..tool_arguments import to_valid_json
from .delta_parser import Delta, parse_delta
from .entry_assembler import EntryAssembler
from .think_tags import ThinkingSplitter
from .tool_call_assembler import CallAssembler, StreamedCall

# Finish reasons of OpenRouter, GLM and DeepSeek for a failure of the provider
FAULTS = ("error", "network_error", "insufficient_system_resource")
OVERFLOWS = ("model_context_window_exceeded",)


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
