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
_ESCAPE = re.compile(rb"\\[^\r\n]")
# What text in ASCII's order does not contain: other encodings do, whose quotes may be anything
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
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
    skips_strings: bool = False
    """Whether what looks like a value within a string does not count: only where the answer, or
    the data of an event, is read as one JSON text."""


class LimitedBody:
    """The body of one answer, decoded piece by piece within its bounds."""

    def __init__(self, encoding: str, limits: ResponseLimits, *, is_events: bool = False) -> None:
        """`encoding` is the header's; raises ResponseLimitError for one that was not asked for."""
        sizes = [limits.max_bytes, None if is_events else limits.max_event_bytes]
        self._max_bytes = min((size for size in sizes if size is not None), default=None)
        self._sent = self._decoded = 0
        self._events = _EventBounds(limits) if is_events else None
        self._values = _ValueCount(limits)
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
        else:
            self._values.add(part)

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
        self._size = 0
        self._values = _ValueCount(limits)

    def check(self, part: bytes) -> None:
        """Count the bytes since the last blank line; raises ResponseLimitError."""
        *_, rest = _EVENT_END.split(part)
        if len(rest) < len(part):
            self._size = 0
            self._values = _ValueCount(self._limits)
        self._size += len(rest)
        limit = self._limits.max_event_bytes
        if limit is not None and self._size > limit:
            raise ResponseLimitError(text("an event is over {limit} bytes", limit=f"{limit:,}"))
        self._values.add(rest)


class _ValueCount:
    """The values of one JSON text that comes in pieces."""

    def __init__(self, limits: ResponseLimits) -> None:
        self._limit = limits.max_values
        self._skips_strings = limits.skips_strings
        self._count = 0
        self._is_in_string = False
        self._held = b""
        """A backslash at the end, which belongs to the next piece."""

    def add(self, part: bytes) -> None:
        """Count a piece; raises ResponseLimitError."""
        if self._limit is None:
            return
        self._count += count_values(self._remove_strings(part))
        check_values(self._count, self._limit)

    def _remove_strings(self, part: bytes) -> bytes:
        if not self._skips_strings or _CONTROL.search(part):
            self._skips_strings = False
            return part
        plain = _ESCAPE.sub(b"", self._held + part)
        self._held = plain[-1:] if plain.endswith(b"\\") else b""
        parts = plain.removesuffix(b"\\").split(b'"')
        if self._is_in_string:
            parts.insert(0, b"")
        self._is_in_string = len(parts) % 2 == 0
        strings = b"".join(parts[1::2])
        if b"\n" in strings or b"\r" in strings:
            self._skips_strings = False  # a string ends with its line: this is no JSON text
            return part
        return b"".join(parts[::2])


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
