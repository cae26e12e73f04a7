"""Parser of a streamed answer's JSON objects to message chunks (pure).

Text and thinking are passed on as they arrive, joined per portion of bytes. Tool calls, and the
opaque parts that the model wants back, come whole in the last chunk. No format is trusted: invalid
fields count as absent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

from ...config.text import text
from ..error_classification import HINTS, RequestTarget, classify_stream_error
from ..errors import ContentRefusedError, ContextOverflowError
from ..http.json_encoding import encode_json
from ..http.json_fields import to_count, to_dict, to_list, to_text
from ..replay import OUTPUT_PARTS
from ..text_cleanup import CharacterJoiner
from ..tool_arguments import to_valid_json

OVERFLOWS = ("model_context_window_exceeded",)
COUNTS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
)
# Kind of the block, and the field with the piece, by type of delta
DELTAS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("thinking", "signature"),
    "input_json_delta": ("tool_use", "partial_json"),
}


@dataclass
class OpenBlock:
    """One content block, as far as it has arrived."""

    kind: str
    fields: dict[str, Any]
    """As it came at its start, for opaque blocks."""
    text: list[str] = field(default_factory=list[str])
    """Pieces of its text, thinking or arguments."""
    signature: list[str] = field(default_factory=list[str])


class AnthropicAnswerParser:
    """One answer: JSON objects in, chunks out; raises the error reported in the stream."""

    def __init__(self, target: RequestTarget, provider: str) -> None:
        self._target = target
        self._provider = provider
        self._blocks: dict[int, OpenBlock] = {}
        self._places: dict[int | None, int] = {}
        """Place of the latest block of each number; some servers give none, or all the same."""
        self._pieces: dict[str, list[str]] = {}
        """New pieces by kind of block, not yet passed on."""
        self._text, self._thinking = CharacterJoiner(), CharacterJoiner()
        self._counts: dict[str, int] = {}
        self._model = target.model
        self._stop_reason = ""
        self.characters = 0
        """Characters of text and thinking so far."""
        self.progress = 0
        """Grows with each piece of the answer; a ping does not count."""

    can_end = False

    @property
    def is_finished(self) -> bool:
        """Return whether the model has marked its answer as complete."""
        return bool(self._stop_reason)

    def feed(self, values: Sequence[Mapping[str, Any]]) -> list[AIMessageChunk]:
        """Return the chunks of these objects: one at most."""
        for value in values:
            self._apply_event(value)
        thinking, text = ("".join(self._pieces.pop(kind, [])) for kind in ("thinking", "text"))
        return self._build_chunk(self._thinking.feed(thinking), self._text.feed(text))

    def close(self) -> list[AIMessageChunk]:
        """Return the last chunks, at the end of the stream."""
        self._check_stop_reason()
        return [
            *self._build_chunk(self._thinking.close(), self._text.close()),
            self._build_last_chunk(),
        ]

    def _build_chunk(self, thinking: str, text: str) -> list[AIMessageChunk]:
        self.characters += len(thinking) + len(text)
        extra = {"reasoning_content": thinking} if thinking else {}
        has_content = bool(thinking or text)
        return [AIMessageChunk(content=text, additional_kwargs=extra)] if has_content else []

    def _apply_event(self, value: Mapping[str, Any]) -> None:
        kind = value.get("type")
        if kind == "error" or (kind is None and value.get("error")):
            raise classify_stream_error(self._target, value.get("error") or dict(value))
        if kind == "message_start":
            self._apply_message(to_dict(value.get("message")))
        elif kind == "message":  # a whole answer, not streamed
            self._apply_message(value)
        elif kind == "message_delta":
            self._apply_message({**to_dict(value.get("delta")), "usage": value.get("usage")})
        elif kind == "content_block_start":
            self._start_block(_to_index(value), to_dict(value.get("content_block")))
        elif kind == "content_block_delta":
            self._apply_delta(_to_index(value), to_dict(value.get("delta")))

    def _apply_message(self, fields: Mapping[str, Any]) -> None:
        """Keep model, blocks, counts and stop reason; later counts replace earlier ones."""
        self._model = to_text(fields.get("model")) or self._model
        for index, block in enumerate(to_list(fields.get("content"))):
            self._start_block(index, to_dict(block))
        reason = to_text(fields.get("stop_reason"))
        self._stop_reason = reason or self._stop_reason
        self.progress += bool(reason)
        usage = to_dict(fields.get("usage"))
        self._counts |= {name: count for name in COUNTS if (count := to_count(usage.get(name)))}

    def _start_block(self, number: int | None, fields: dict[str, Any]) -> None:
        kind = to_text(fields.get("type"))
        index = self._choose_place(number, fields.get("id"))
        self._places[number] = index
        self._blocks[index] = OpenBlock(kind, fields)
        if kind in ("text", "thinking"):
            self._add_text(index, kind, to_text(fields.get(kind)))
        self.progress += kind in ("tool_use", "redacted_thinking")

    def _choose_place(self, number: int | None, block_id: object) -> int:
        """Return the block's number if it is free, else the next free one."""
        earlier = self._blocks.get(self._places.get(number, -1))
        if earlier and block_id and earlier.fields.get("id") == block_id:  # announced once more
            return self._places[number]
        if number is None or number in self._blocks:
            return max(self._blocks, default=-1) + 1
        return number

    def _find_place(self, number: int | None, kind: str) -> int:
        """Return the place of the block that a piece continues; what none announced begins here."""
        latest = next(reversed(self._blocks), None) if number is None else number
        index = self._places.get(number, latest)
        block = None if index is None else self._blocks.get(index)
        if index is None or block is None or (kind in ("text", "thinking") and block.kind != kind):
            self._start_block(number, {"type": kind})
            return self._places[number]
        return index

    def _apply_delta(self, number: int | None, delta: Mapping[str, Any]) -> None:
        kind, name = DELTAS.get(to_text(delta.get("type")), ("", ""))
        piece = to_text(delta.get(name))
        if not piece:
            return
        index = self._find_place(number, kind)
        block = self._blocks[index]
        if name == "signature":
            block.signature.append(piece)
            self.progress += 1
        elif kind == block.kind:
            self._add_text(index, kind, piece)

    def _add_text(self, index: int, kind: str, piece: str) -> None:
        if piece:
            self._blocks[index].text.append(piece)
            self._pieces.setdefault(kind, []).append(piece)
            self.progress += 1

    def _check_stop_reason(self) -> None:
        provider, reason = self._target.label, self._stop_reason
        if reason in OVERFLOWS:
            raise ContextOverflowError(
                text(
                    "{who} ran out of context: {finish_reason}", who=provider, finish_reason=reason
                ),
                hint=HINTS[ContextOverflowError],
            )
        if reason == "refusal":
            raise ContentRefusedError(
                text("{who} refused to answer", who=provider), hint=HINTS[ContentRefusedError]
            )

    def _build_last_chunk(self) -> AIMessageChunk:
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        calls = [block for block in blocks if block.kind == "tool_use"]
        return AIMessageChunk(
            content="",
            additional_kwargs=_build_parts(blocks),
            tool_call_chunks=[_to_call_chunk(i, block) for i, block in enumerate(calls)],
            usage_metadata=self._build_usage(),
            response_metadata={
                "finish_reason": self._stop_reason,
                "model_name": self._model,
                "model_provider": self._provider,
            },
            chunk_position="last",
        )

    def _build_usage(self) -> UsageMetadata | None:
        """Return the counts; this protocol counts cached input apart from the rest."""
        if not self._counts:
            return None
        fresh, read, created, output = (self._counts.get(name, 0) for name in COUNTS)
        return UsageMetadata(
            input_tokens=fresh + read + created,
            output_tokens=output,
            total_tokens=fresh + read + created + output,
            input_token_details={"cache_read": read, "cache_creation": created},
        )


def _build_parts(blocks: Sequence[OpenBlock]) -> dict[str, Any]:
    """Return the mark with the answer's thinking as it came and the places of all else.

    An answer without thinking needs none: any order of text and calls is accepted.
    """
    if not any(block.kind in ("thinking", "redacted_thinking") for block in blocks):
        return {}
    parts, calls = list[dict[str, Any]](), 0
    for block in blocks:
        if block.kind == "text":
            parts.append({"type": "text", "length": len(_join_characters(block.text))})
        elif block.kind == "tool_use":
            parts.append({"type": "tool_call", "index": calls})
            calls += 1
        elif block.kind == "thinking":
            parts.append(_build_thinking(block))
        elif block.kind == "redacted_thinking":
            parts.append(block.fields)
    return {OUTPUT_PARTS: {"api": "anthropic", "parts": parts}}


def _build_thinking(block: OpenBlock) -> dict[str, Any]:
    signature = "".join(block.signature) or to_text(block.fields.get("signature"))
    thinking = _join_characters(block.text)
    return {**block.fields, "thinking": thinking} | ({"signature": signature} if signature else {})


def _join_characters(pieces: Sequence[str]) -> str:
    joiner = CharacterJoiner()
    return joiner.feed("".join(pieces)) + joiner.close()


def _to_call_chunk(index: int, block: OpenBlock) -> ToolCallChunk:
    whole = block.fields.get("input")
    arguments = "".join(block.text) or (encode_json(whole).decode() if whole else "")
    return tool_call_chunk(
        name=to_text(block.fields.get("name")),
        args=to_valid_json(arguments),
        id=to_text(block.fields.get("id")) or f"toolu_{uuid4().hex[:24]}",
        index=index,
    )


def _to_index(value: Mapping[str, Any]) -> int | None:
    index = value.get("index")
    return index if isinstance(index, int) else None
