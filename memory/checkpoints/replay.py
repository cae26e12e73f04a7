"""Replay of a thread's writes, to recognize the same values in a checkpoint."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, cast

from .packed_rows import PackedObject, unpack_row

# LangGraph's code for a whole value that is copied into a checkpoint
_WHOLE = 7


class Replay:
    """The request and the messages after the writes so far."""

    def __init__(self) -> None:
        self._request: object = None
        self._messages = _Digests()

    def forget(self) -> None:
        """Forget the values, until a checkpoint has all of them."""
        self._request = None
        self._messages.are_known = False

    def apply_write(self, channel: str, data: bytes) -> None:
        """Apply one write of a node."""
        if channel == "request":
            self._request = unpack_row(data)
        elif channel == "messages":
            self._messages.add(unpack_row(data))

    def find_redundant_channels(self, values: Mapping[str, Any]) -> list[str]:
        """Find the channels whose values in a checkpoint follow from the writes before it."""
        redundant: list[str] = []
        if "request" in values:
            request = _unpack_value(values["request"])
            redundant += ["request"] if request == self._request else []
            self._request = request
        if "messages" in values:
            messages = _Digests()
            messages.add(_unpack_value(values["messages"]))
            redundant += ["messages"] if messages == self._messages else []
            self._messages = messages
        return redundant


class _Digests:
    """A digest of each message by its id, in order."""

    def __init__(self) -> None:
        self.are_known = True
        self._of: dict[object, bytes] = {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Digests) or not (self.are_known and other.are_known):
            return False
        return [*self._of.items()] == [*other._of.items()]

    def add(self, written: object) -> None:
        """Add what a node wrote: messages, alone or in a list; anything else counts as unknown."""
        messages = cast("list[object]", written if isinstance(written, list) else [written])
        for message in messages:
            name, facts = _unpack_message(message)
            if not isinstance(facts, dict):
                self.are_known = False
            elif name == "RemoveMessage":
                self._of.pop(facts.get("id"), None)
            else:
                self._of[facts.get("id")] = sha256(cast(PackedObject, message).payload).digest()


def _unpack_message(message: object) -> tuple[str, dict[str, Any] | None]:
    """Return the message's class name and its fields; None for anything else."""
    unpacked = unpack_row(message.payload) if isinstance(message, PackedObject) else None
    parts = cast("list[Any]", unpacked) if isinstance(unpacked, list) else []
    if len(parts) < 3 or not str(parts[0]).startswith("langchain_core.messages"):
        return "", None
    facts = cast("dict[str, Any]", parts[2]) if isinstance(parts[2], dict) else None
    return str(parts[1]), facts


def _unpack_value(stored: object) -> object:
    if isinstance(stored, PackedObject) and stored.code == _WHOLE:
        return unpack_row(stored.payload)
    return stored
