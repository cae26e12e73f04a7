"""Assembler of streamed tool calls, also with wrong numbers from the provider (pure)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..http.json_fields import to_text
from ..tool_arguments import is_valid_json

# Fields of a call that come back with it: Gemini's signature, directly and through LiteLLM
CALL_EXTRAS = ("extra_content", "provider_specific_fields")


@dataclass
class StreamedCall:
    """One tool call as far as it has arrived."""

    index: object = None
    id: str = ""
    name: str = ""
    fragments: list[str] = field(default_factory=list[str])
    extras: dict[str, Any] = field(default_factory=dict[str, Any])
    """Fields of the provider's own, as received."""

    @property
    def arguments(self) -> str:
        """The JSON text of the arguments so far."""
        return "".join(self.fragments)

    def add_arguments(self, text: str) -> None:
        """Add the next piece, unless it is all of the arguments so far."""
        if text.startswith("{") and self.fragments:
            arguments = self.arguments
            is_all = arguments.strip() == "{}" or (
                arguments.startswith("{") and text.startswith(arguments)
            )
            if is_all:
                self.fragments.clear()
        if text:
            self.fragments.append(text)

    def is_whole(self) -> bool:
        """Return whether the arguments are already a complete JSON object."""
        ends = bool(self.fragments) and self.fragments[-1].rstrip().endswith("}")
        return ends and _is_object(self.arguments)

    def is_valid(self) -> bool:
        """Return whether the arguments can be used."""
        return is_valid_json(self.arguments)


@dataclass(frozen=True)
class CallDelta:
    """One delta of a tool call; fields that the provider omits are empty."""

    index: object
    id: str
    name: str
    arguments: str
    extras: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def from_delta(cls, delta: Mapping[str, Any]) -> "CallDelta":
        """Return the piece in a `tool_calls` delta; arguments may be an object instead of text."""
        function = cast("dict[str, Any]", delta.get("function") or {})
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else _dump_arguments(arguments)
        index = delta.get("index")
        extras = {key: delta[key] for key in CALL_EXTRAS if delta.get(key)}
        return cls(index, to_text(delta.get("id")), to_text(function.get("name")), text, extras)


class CallAssembler:
    """Assigns every piece to its call.

    Most providers number their calls, and only the first piece has an ID and a name. Others omit
    the number, give every call the same, repeat ID and name with each piece, or send the finished
    call once more. So a piece starts a new call if its number is new, or its name or ID differs, or
    the call it would belong to is already complete.
    """

    def __init__(self) -> None:
        self.calls: list[StreamedCall] = []

    def add_delta(self, delta: Mapping[str, Any]) -> None:
        """Add one element of a `tool_calls` delta."""
        piece = CallDelta.from_delta(delta)
        call = self._find_continued(piece)
        if call is None:
            if not (piece.id or piece.name or piece.arguments):
                return
            call = StreamedCall(piece.index)
            self.calls.append(call)
        elif piece.arguments.startswith("{") and piece.arguments == call.arguments:
            return  # the finished call sent once more
        call.extras |= piece.extras
        call.id, call.name = call.id or piece.id, _join_name(call.name, piece.name)
        call.add_arguments(piece.arguments)

    def finish_calls(self, new_id: Callable[[], str]) -> list[StreamedCall]:
        """Return the calls, each with a name and an ID of its own."""
        seen: set[str] = set()
        for call in self.calls:
            if not call.id or call.id in seen:
                call.id = new_id()
            seen.add(call.id)
            call.name = call.name or "unknown"
        return self.calls

    def _find_continued(self, piece: CallDelta) -> StreamedCall | None:
        """Return the call that the piece continues, or None: it starts one."""
        call = self._find_candidate(piece)
        if call is None:
            return None
        other_id = bool(piece.id and call.id and piece.id != call.id)
        other_name = bool(piece.name and call.name and piece.name != call.name)
        if other_name and self._continues_name(piece, call):
            return call
        if other_name or (other_id and piece.name):
            return None
        named_again = bool(piece.name) and not (piece.id or call.id)
        goes_past_the_end = bool(piece.arguments) and (bool(piece.name) or other_id)
        repeats = piece.arguments.startswith("{") and piece.arguments == call.arguments
        if (named_again or goes_past_the_end) and not repeats and call.is_whole():
            return None
        return call

    @staticmethod
    def _continues_name(piece: CallDelta, call: StreamedCall) -> bool:
        """Return whether a name comes in pieces: of one number, and before all arguments."""
        is_same = piece.index is not None and piece.index == call.index and not piece.id
        return is_same and not (call.fragments or piece.arguments)

    def _find_candidate(self, piece: CallDelta) -> StreamedCall | None:
        """Return the call with the piece's number, else its ID, else its place."""
        numbered = self._find_latest("index", piece.index)
        if numbered or (piece.index is not None and piece.name):
            return numbered
        call = self._find_latest("id", piece.id or None)
        if call or (piece.index is not None and piece.id):
            return call
        return self.calls[-1] if self.calls else None

    def _find_latest(self, field_name: str, value: object) -> StreamedCall | None:
        if value is None:
            return None
        return next((c for c in reversed(self.calls) if getattr(c, field_name) == value), None)


def _join_name(name: str, piece: str) -> str:
    """Join a name that comes in pieces; a piece may be the whole name, or that once more."""
    return piece if piece.startswith(name) else name if name.startswith(piece) else name + piece


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def _dump_arguments(arguments: object) -> str:
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
