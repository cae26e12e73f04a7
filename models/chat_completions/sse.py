"""Server-sent events: from bytes in any portions to the `data` of each event (pure)."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

LINE_END = re.compile(rb"\r\n|\n|\r")
"""Only these end a line; `str.splitlines` would also cut JSON at U+2028."""

DECODER = json.JSONDecoder(strict=False)


class EventDecoder:
    """Gathers lines into events. Comments, ids, names and unknown fields are passed over."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, portion: bytes) -> list[str]:
        """The events that this portion completes."""
        if b"\n" not in portion and b"\r" not in portion and not self._rest.endswith(b"\r"):
            self._rest += portion
            return []
        held = self._rest + portion
        carry = b"\r" if held.endswith(b"\r") else b""  # perhaps half of "\r\n"
        lines = LINE_END.split(held[: len(held) - len(carry)])
        self._rest = lines.pop() + carry
        return [event for line in lines for event in self._line(line)]

    def close(self) -> list[str]:
        """The last event of a stream that ends without a blank line."""
        rest, self._rest = self._rest, b""
        return [*self._line(rest.rstrip(b"\r")), *self._line(b"")]

    def _line(self, line: bytes) -> Iterator[str]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            yield b"\n".join(self._data).decode("utf-8", "replace")
            self._data = []


def json_values(data: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in one event's data; `ValueError` when one is broken.

    Usually one; several where a server leaves out the blank line between events. Anything else,
    as `[DONE]`, yields nothing.
    """
    position = 0
    while (position := data.find("{", position)) >= 0:
        try:
            value, position = DECODER.raw_decode(data, position)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        yield cast("dict[str, Any]", value)
