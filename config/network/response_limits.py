"""Bounds on an answer: bytes sent and decoded, their ratio, values of JSON, time (pure)."""

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..text import text

# Most decoded bytes per byte sent; text compresses to about a tenth
MAX_RATIO = 100
# Decoded bytes up to which the ratio is not checked
FREE_OF_RATIO = 1_000_000
# Most values of one JSON text: each takes some 60 bytes of memory or more
MAX_JSON_VALUES = 400_000
# What is asked for; others are refused
ACCEPTED_ENCODINGS = ", ".join(("gzip", "deflate"))
# Decoded bytes that are handed on at once
_PIECE = 256_000
_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")


class ResponseLimitError(ValueError):
    """An answer is larger than its bounds, or encoded in a way that was not asked for."""


class DamagedResponseError(ValueError):
    """The compression of an answer is damaged."""


@dataclass(frozen=True)
class ResponseLimits:
    """Bounds on one answer."""

    max_bytes: int | None = None
    """Most bytes, sent or decoded; None: a stream that stays open for messages."""
    seconds: float | None = None
    """From the request to the last byte."""
    header_seconds: float | None = None
    """From the request to the end of the headers."""
    max_event_bytes: int | None = None
    """Most bytes of one event, or of an answer that is no stream of events."""
    max_values: int | None = None
    """Most values of the JSON, or of one event."""


class LimitedBody:
    """The body of one answer, decoded piece by piece within its bounds."""

    def __init__(self, encoding: str, limits: ResponseLimits, *, is_events: bool = False) -> None:
        """`encoding` is the header's; raises ResponseLimitError for one that was not asked for."""
        sizes = [limits.max_bytes, None if is_events else limits.max_event_bytes]
        self._max_bytes = min((size for size in sizes if size is not None), default=None)
        self._max_values = limits.max_values
        self._sent = self._decoded = 0
        self._events = _EventBounds(limits) if is_events else None
        self._values = 0
        self._decoder = _open_decoder(encoding)
        self._is_raw_tried = encoding.strip().lower() != "deflate"

    def decode(self, piece: bytes) -> Iterator[bytes]:
        """Yield what the piece decodes to; raises ResponseLimitError, DamagedResponseError."""
        self._sent += len(piece)
        self._check_size(self._sent)
        for part in self._iter_parts(piece):
            self._decoded += len(part)
            self._check_size(self._decoded)
            read = self._sent - (len(self._decoder.unconsumed_tail) if self._decoder else 0)
            if self._decoded > max(FREE_OF_RATIO, MAX_RATIO * read):
                raise ResponseLimitError(
                    text("it decompresses to over {ratio} times its size", ratio=MAX_RATIO)
                )
            self._check_values(part)
            yield part

    def _check_size(self, size: int) -> None:
        limit = self._max_bytes
        if limit is not None and size > limit:
            raise ResponseLimitError(text("it is over {limit} bytes", limit=f"{limit:,}"))

    def _check_values(self, part: bytes) -> None:
        if self._events:
            self._events.check(part)
        elif self._max_values:
            self._values += count_values(part)
            check_values(self._values, self._max_values)

    def _iter_parts(self, piece: bytes) -> Iterator[bytes]:
        if self._decoder is None:
            if piece:
                yield piece
            return
        while piece and not self._decoder.eof:
            yield from filter(None, [self._inflate(piece)])
            piece = self._decoder.unconsumed_tail

    def _inflate(self, piece: bytes) -> bytes:
        assert self._decoder
        try:
            part = self._decoder.decompress(piece, _PIECE)
        except zlib.error:
            if self._is_raw_tried:
                raise DamagedResponseError(
                    text("it is compressed in a way that cannot be read")
                ) from None
            self._decoder = zlib.decompressobj(-zlib.MAX_WBITS)  # some servers' `deflate`
            self._is_raw_tried = True
            return self._inflate(piece)
        self._is_raw_tried = True
        return part


class _EventBounds:
    """Bounds on each event of a stream."""

    def __init__(self, limits: ResponseLimits) -> None:
        self._limits = limits
        self._size = self._values = 0

    def check(self, part: bytes) -> None:
        """Count the bytes since the last blank line; raises ResponseLimitError."""
        *_, rest = _EVENT_END.split(part)
        if len(rest) < len(part):
            self._size = self._values = 0
        self._size += len(rest)
        self._values += count_values(rest)
        limit = self._limits.max_event_bytes
        if limit is not None and self._size > limit:
            raise ResponseLimitError(text("an event is over {limit} bytes", limit=f"{limit:,}"))
        if self._limits.max_values:
            check_values(self._values, self._limits.max_values)


def count_values(data: bytes) -> int:
    """Count the values of a JSON text: never less than there are."""
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def check_values(count: int, limit: int = MAX_JSON_VALUES) -> None:
    """Raise ResponseLimitError for more values than the limit."""
    if count > limit:
        raise ResponseLimitError(text("its JSON has over {limit} values", limit=f"{limit:,}"))


def read_json(data: bytes | str) -> Any:
    """Parse JSON of a stranger; raises ValueError, also for one nested too deeply."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError(text("nested too deeply")) from None


def _open_decoder(encoding: str):  # typeshed has no public type for it
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return None
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(47)  # finds out which of the two it is; servers confuse them
    raise ResponseLimitError(
        text("it is compressed as `{encoding}`, which was not requested", encoding=encoding[:40])
    )
