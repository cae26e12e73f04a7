"""Parser of a Responses answer's events to message chunks (pure).

Text and the summary of the thinking are passed on as they arrive. Tool calls come whole, in the
last chunk, with the parts that the model wants back unchanged and their order.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

from ..error_classification import RequestTarget, classify_stream_error
from ..http.json_fields import to_count, to_dict, to_list, to_text
from ..replay import OUTPUT_PARTS
from ..text_cleanup import CharacterJoiner
from ..tool_arguments import is_valid_json, to_valid_json


@dataclass
class OutputItem:
    """One item of an answer, as far as it has arrived."""

    kind: str
    index: int = 0
    raw: dict[str, Any] = field(default_factory=dict[str, Any])
    """The item as received; whole if it is done."""
    is_done: bool = False
    has_streamed: bool = False
    """Whether its text arrived in pieces."""
    arguments: str = ""
    length: int = 0
    """Characters of the answer's text that are this item's."""

    def list_ids(self) -> list[str]:
        """Return the IDs by which events name it."""
        return [text for name in ("call_id", "id") if (text := to_text(self.raw.get(name)))]

    def join_text(self) -> str:
        """Return the text of a whole message, its refusal included."""
        parts = [to_dict(part) for part in to_list(self.raw.get("content"))]
        return "".join(to_text(part.get("text")) + to_text(part.get("refusal")) for part in parts)

    def list_thinking(self) -> list[str]:
        """Return the paragraphs of a whole reasoning item: its summary, else its text."""
        if self.kind != "reasoning":
            return []
        parts = to_list(self.raw.get("summary")) or to_list(self.raw.get("content"))
        return [to_text(to_dict(part).get("text")) for part in parts]

    def to_arguments(self) -> str:
        """Return the arguments as valid JSON; a cut call must not look whole."""
        is_whole = self.is_done or bool(self.arguments)
        return to_valid_json(self.arguments) if is_whole else json.dumps(self.arguments)

    def is_valid(self) -> bool:
        """Return whether the arguments can be used."""
        return is_valid_json(self.to_arguments())


class OutputItems:
    """The items of an answer, in order.

    They are found by their ID, else by number and kind: some gateways give several items one
    number, and others a new ID with each event.
    """

    def __init__(self) -> None:
        self.all: list[OutputItem] = []

    def select(self, kind: str) -> list[OutputItem]:
        """Return the items of one kind."""
        return [item for item in self.all if item.kind == kind]

    def add(self, index: int, raw: dict[str, Any]) -> None:
        """Add an item that begins."""
        self.all.append(OutputItem(to_text(raw.get("type")), index, raw))

    def find_open(self, index: int, kind: str, item_id: object = None) -> OutputItem:
        """Return the item that an event continues; one that was not announced begins here."""
        opened = [item for item in reversed(self.all) if item.kind == kind and not item.is_done]
        same_id = [item for item in opened if item_id and item_id in item.list_ids()]
        for item in same_id or opened:
            if same_id or item.index == index:
                return item
        self.all.append(OutputItem(kind, index))
        return self.all[-1]

    def finish(self, index: int, raw: dict[str, Any]) -> OutputItem:
        """Take a whole item."""
        kind, numbers = to_text(raw.get("type")), (raw.get("call_id"), raw.get("id"))
        open_ids = {item_id for item in self.all for item_id in item.list_ids() if not item.is_done}
        item_id = next((number for number in numbers if number and number in open_ids), None)
        return _complete_item(self.find_open(index, kind, item_id), raw)

    def finish_all(self, output: Sequence[dict[str, Any]]) -> list[OutputItem]:
        """Take the list at the end of an answer; return the items that were not whole before."""
        completed_items: list[OutputItem] = []
        seen: dict[str, int] = {}
        for index, raw in enumerate(output):
            kind = to_text(raw.get("type"))
            items, number = self.select(kind), seen.get(kind, 0)
            seen[kind] = number + 1
            if number == len(items):
                self.add(index, raw)
                completed_items.append(_complete_item(self.all[-1], raw))
            elif not items[number].is_done:
                completed_items.append(_complete_item(items[number], raw))
        return completed_items


TEXT_EVENTS = ("response.output_text.delta", "response.refusal.delta")
THINKING_EVENTS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
ENDS = ("completed", "incomplete")
FAILURES = ("failed", "cancelled")
GAP = "\n\n"


class ResponsesAnswerParser:
    """One answer: events in, chunks out; raises the error reported in the stream."""

    def __init__(self, target: RequestTarget, provider: str) -> None:
        self._target = target
        self._provider = "openai-compatible" if provider == "openai" else provider
        self._items = OutputItems()
        self._text, self._thinking = CharacterJoiner(), CharacterJoiner()
        self._thinking_part: object = None
        self._usage: UsageMetadata | None = None
        self._model = target.model
        self._finish_reason = ""
        self.characters = 0
        """Characters of text and thinking so far."""
        self.progress = 0
        """Grows with each piece of the answer; a keep-alive and an empty delta do not count."""

    can_end = False

    @property
    def is_finished(self) -> bool:
        """Return whether the model has marked its answer as complete."""
        return bool(self._finish_reason)

    def feed(self, values: Sequence[Mapping[str, Any]]) -> list[AIMessageChunk]:
        """Return the chunks of these events: one at most."""
        parts = [piece for value in values for piece in self._apply_event(value)]
        thinking = "".join(text for kind, text in parts if kind == "thinking")
        text = "".join(text for kind, text in parts if kind == "text")
        return self._build_chunk(thinking, text)

    def close(self) -> list[AIMessageChunk]:
        """Return the last chunks, at the end of the stream."""
        return [*self._build_chunk(self._thinking.close(), self._end_text()), self._build_last()]

    def _build_chunk(self, thinking: str, text: str) -> list[AIMessageChunk]:
        self.characters += len(thinking) + len(text)
        extra = {"reasoning_content": thinking} if thinking else {}
        has_content = bool(thinking or text)
        return [AIMessageChunk(content=text, additional_kwargs=extra)] if has_content else []

    def _apply_event(self, event: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the text and the thinking of an event; keep the rest for the end."""
        kind, index = to_text(event.get("type")), to_count(event.get("output_index"))
        delta, item_id = to_text(event.get("delta")), to_text(event.get("item_id"))
        self.progress += bool(delta) or kind == "response.output_item.done"
        if kind in TEXT_EVENTS:
            return self._add_text(self._items.find_open(index, "message"), delta)
        if kind in THINKING_EVENTS:
            part = (index, event.get("summary_index", event.get("content_index")))
            return self._add_thinking(self._items.find_open(index, "reasoning"), part, delta)
        if kind == "response.function_call_arguments.delta":
            self._items.find_open(index, "function_call", item_id).arguments += delta
        elif kind == "response.function_call_arguments.done":
            call = self._items.find_open(index, "function_call", item_id)
            call.arguments = to_text(event.get("arguments")) or call.arguments
        elif kind == "response.output_item.added":
            self._items.add(index, to_dict(event.get("item")))
        elif kind == "response.output_item.done":
            return self._list_unstreamed(self._items.finish(index, to_dict(event.get("item"))))
        else:
            return self._apply_response(event)
        return []

    def _apply_response(self, event: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Apply an event with the whole response, or the response sent instead of a stream."""
        kind, response = to_text(event.get("type")), to_dict(event.get("response"))
        if not response and isinstance(event.get("output"), list):
            response = dict(event)
        self._check_error(event, kind, response)
        status = to_text(response.get("status"))
        self._model = to_text(response.get("model")) or self._model
        if kind.removeprefix("response.") not in ENDS and (kind or status not in ENDS):
            return []
        # a server that streams may leave out the items at the end, another sends them only there
        output = [to_dict(item) for item in to_list(response.get("output"))]
        parts = [
            piece
            for item in self._items.finish_all(output)
            for piece in self._list_unstreamed(item)
        ]
        self._usage = parse_usage(to_dict(response.get("usage"))) or self._usage
        is_cut = "incomplete" in (status, kind.removeprefix("response."))
        self._finish_reason = self._find_reason(response, is_cut=is_cut)
        self.progress += 1
        return parts

    def _find_reason(self, response: dict[str, Any], *, is_cut: bool) -> str:
        """Return why the answer ended, as in chat completions; what is complete is done."""
        calls = self._items.select("function_call")
        if is_cut:
            details = to_dict(response.get("incomplete_details"))
            return to_text(details.get("reason")) or "incomplete"
        for call in calls:
            call.is_done = True
        return "tool_calls" if calls else "stop"

    def _check_error(self, event: Mapping[str, Any], kind: str, response: dict[str, Any]) -> None:
        if kind == "error" or (not kind and event.get("error")):
            fields = {name: value for name, value in event.items() if name != "type"}
            raise classify_stream_error(self._target, event.get("error") or fields)
        status = to_text(response.get("status"))
        if kind.removeprefix("response.") in FAILURES or status in FAILURES:
            unexplained = {"message": status or "failed"}
            raise classify_stream_error(self._target, response.get("error") or unexplained)

    def _list_unstreamed(self, item: OutputItem) -> list[tuple[str, str]]:
        """Return the text of a whole item, if it has not arrived in pieces."""
        if item.has_streamed:
            return []
        if item.kind == "message":
            return self._add_text(item, item.join_text())
        return [
            piece
            for number, text in enumerate(item.list_thinking())
            for piece in self._add_thinking(item, (item.index, number), text)
        ]

    def _add_text(self, item: OutputItem, text: str) -> list[tuple[str, str]]:
        if not text:
            return []
        parts = [("text", self._text.feed(text))]
        if not item.has_streamed:
            parts = self._separate_texts() + parts
            item.has_streamed = True
        item.length += len(parts[-1][1])
        return parts

    def _separate_texts(self) -> list[tuple[str, str]]:
        """Put a blank line after the text of an earlier message."""
        earlier = [item for item in self._items.all if item.length]
        if not earlier:
            return []
        gap = self._text.close() + GAP
        earlier[-1].length += len(gap)
        return [("text", gap)]

    def _add_thinking(self, item: OutputItem, part: object, text: str) -> list[tuple[str, str]]:
        if not text:
            return []
        begins = self._thinking_part is not None and part != self._thinking_part
        self._thinking_part, item.has_streamed = part, True
        return [("thinking", (GAP if begins else "") + self._thinking.feed(text))]

    def _end_text(self) -> str:
        text = self._text.close()
        messages = self._items.select("message")
        if messages:
            messages[-1].length += len(text)
        return text

    def _build_last(self) -> AIMessageChunk:
        parts = list_parts(self._items.all)
        # without thinking the order says nothing that text and calls do not say
        is_opaque = any(part["type"] == "reasoning" or "phase" in part for part in parts)
        extra = {OUTPUT_PARTS: {"api": "responses", "parts": parts}} if is_opaque else {}
        calls = self._items.select("function_call")
        return AIMessageChunk(
            content="",
            additional_kwargs=extra,
            tool_call_chunks=[_to_call_chunk(index, call) for index, call in enumerate(calls)],
            usage_metadata=self._usage,
            response_metadata={
                "finish_reason": self._finish_reason,
                "model_name": self._model,
                "model_provider": self._provider,
            },
            chunk_position="last",
        )


def parse_usage(counts: Mapping[str, Any]) -> UsageMetadata | None:
    """Return the token counts of an answer; None if there are none."""
    if not counts:
        return None
    read_, written = to_count(counts.get("input_tokens")), to_count(counts.get("output_tokens"))
    cached = to_count(to_dict(counts.get("input_tokens_details")).get("cached_tokens"))
    read_ += cached if cached > read_ else 0  # counted apart
    thought = to_dict(counts.get("output_tokens_details")).get("reasoning_tokens")
    return UsageMetadata(
        input_tokens=read_,
        output_tokens=written,
        total_tokens=to_count(counts.get("total_tokens")) or read_ + written,
        input_token_details={"cache_read": cached},
        output_token_details={"reasoning": to_count(thought)},
    )


def _to_call_chunk(index: int, call: OutputItem) -> ToolCallChunk:
    identity = to_text(call.raw.get("call_id")) or f"call_{uuid4().hex[:24]}"
    name = to_text(call.raw.get("name")) or "unknown"
    return tool_call_chunk(name=name, args=call.to_arguments(), id=identity, index=index)


def _complete_item(item: OutputItem, raw: dict[str, Any]) -> OutputItem:
    item.raw = raw
    item.is_done = to_text(raw.get("status")) not in ("incomplete", "in_progress")
    item.arguments = to_text(raw.get("arguments")) or item.arguments
    return item


def list_parts(items: Sequence[OutputItem]) -> list[dict[str, Any]]:
    """Return the parts of an answer in order.

    Thinking is a part as received, if it can be sent back. Text and calls are only named, since the
    message has them: the index counts the valid calls first, then the invalid ones.
    """
    calls = [item for item in items if item.kind == "function_call"]
    ordered = sorted(calls, key=lambda call: not call.is_valid())
    parts: list[dict[str, Any]] = []
    for item in items:
        if item.kind == "message" and item.length:
            parts.append(_name_text(item))
        elif item.kind == "function_call":
            parts.append({"type": "tool_call", "index": _find_place(ordered, item)})
        elif item.kind == "reasoning" and item.is_done and _has_thinking(item.raw):
            parts.append(item.raw)
    return parts


def _name_text(item: OutputItem) -> dict[str, Any]:
    """Name a text by its length; `phase` tells an intermediate message from the final one."""
    phase = to_text(item.raw.get("phase"))
    return {"type": "text", "length": item.length, **({"phase": phase} if phase else {})}


def _find_place(calls: Sequence[OutputItem], item: OutputItem) -> int:
    return next(position for position, call in enumerate(calls) if call is item)


def _has_thinking(raw: dict[str, Any]) -> bool:
    """Return whether the item stands for itself: an ID alone names what a server has stored."""
    return bool(raw.get("encrypted_content") or raw.get("content"))
