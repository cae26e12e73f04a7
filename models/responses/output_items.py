"""Items of a Responses answer, and which of them the model wants back (pure)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..http.json_fields import to_dict, to_list, to_text
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

    They are found by number and kind: some gateways give several items one number, and others a
    new ID with each event.
    """

    def __init__(self) -> None:
        self.all: list[OutputItem] = []

    def select(self, kind: str) -> list[OutputItem]:
        """Return the items of one kind."""
        return [item for item in self.all if item.kind == kind]

    def add(self, index: int, raw: dict[str, Any]) -> None:
        """Add an item that begins."""
        self.all.append(OutputItem(to_text(raw.get("type")), index, raw))

    def find_open(self, index: int, kind: str) -> OutputItem:
        """Return the item that an event continues; one that was not announced begins here."""
        for item in reversed(self.all):
            if (item.index, item.kind, item.is_done) == (index, kind, False):
                return item
        self.all.append(OutputItem(kind, index))
        return self.all[-1]

    def finish(self, index: int, raw: dict[str, Any]) -> OutputItem:
        """Take a whole item."""
        return _complete_item(self.find_open(index, to_text(raw.get("type"))), raw)

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
    return next(place for place, call in enumerate(calls) if call is item)


def _has_thinking(raw: dict[str, Any]) -> bool:
    """Return whether the item stands for itself: an ID alone names what a server has stored."""
    return bool(raw.get("encrypted_content") or raw.get("content"))
