"""Decoder of server-sent events: bytes in any portions to the `data` of each event (pure)."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, cast

# Only these end a line; `str.splitlines` would also cut JSON at U+2028
LINE_END = re.compile(rb"\r\n|\n|\r")

# A comment, or another field of an event
FIELD = re.compile(rb":|(?:event|id|retry)(?::|\Z)")
MAX_STRAY_BYTES = 1_000_000

DECODER = json.JSONDecoder(strict=False)

# Bytes of one event, far more than any answer needs: reading stops at an endless one
MAX_EVENT_BYTES = 8_000_000


class EventTooLongError(ValueError):
    """One event, or one line of it, is longer than the limit."""


class EventDecoder:
    """Collects lines into events. Comments, ids, names and unknown fields are skipped."""

    def __init__(self) -> None:
        # pieces, since appending to bytes copies all of them each time
        self._rest: list[bytes] = []
        self._data: list[bytes] = []
        self._rest_size = self._data_size = 0
        self._is_first_line = True
        self.stray = b""
        """The beginning of what is no event: an answer, or an error, that is not streamed."""

    def feed(self, portion: bytes) -> list[str]:
        """Return the events that this portion completes; raises EventTooLongError."""
        half_end = bool(self._rest) and self._rest[-1].endswith(b"\r")
        if b"\n" not in portion and b"\r" not in portion and not half_end:
            self._rest.append(portion)
            self._rest_size += len(portion)
            self._check_size()
            return []
        held = b"".join([*self._rest, portion])
        carry = b"\r" if held.endswith(b"\r") else b""  # may be half of "\r\n"
        lines = LINE_END.split(held[: len(held) - len(carry)])
        self._rest = [lines.pop() + carry]
        self._rest_size = len(self._rest[0])
        events = [event for line in lines for event in self._process_line(line)]
        self._check_size()
        return events

    def close(self) -> list[str]:
        """Return the last event of a stream that ends without a blank line."""
        rest, self._rest = b"".join(self._rest), []
        return [*self._process_line(rest.rstrip(b"\r")), *self._process_line(b"")]

    def _check_size(self) -> None:
        if self._rest_size + self._data_size > MAX_EVENT_BYTES:
            raise EventTooLongError

    def _process_line(self, line: bytes) -> Iterator[str]:
        if self._is_first_line:
            self._is_first_line, line = False, line.removeprefix(codecs.BOM_UTF8)
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
            self._data_size += len(line)
        elif line and not FIELD.match(line) and len(self.stray) < MAX_STRAY_BYTES:
            self.stray += line + b"\n"
        elif not line and self._data:
            yield b"\n".join(self._data).decode("utf-8", "replace")
            self._data, self._data_size = [], 0


def parse_json_values(data: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in one event's data; raises ValueError for a broken one.

    Usually one; several if a server omits the blank line between events. Any other data, as
    `[DONE]`, yields nothing.
    """
    position = 0
    while (position := data.find("{", position)) >= 0:
        try:
            value, position = DECODER.raw_decode(data, position)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        yield cast("dict[str, Any]", value)
