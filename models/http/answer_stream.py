"""Decoder of a streamed answer's bytes: events, JSON objects, message chunks (pure)."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessageChunk

from ...config.text import text
from ..error_classification import HINTS, RequestTarget, classify_stream_error
from ..errors import BrokenStreamError, ProviderFaultError
from .dialect import AnswerParser
from .sse import MAX_EVENT_BYTES, EventDecoder, EventTooLongError, parse_json_values

MAX_UNREAD = 2_000
# For an answer with nothing in it that the protocol knows
WRONG_PROTOCOL = "check the base URL, and the protocol of the server: `model.models.NAME.api`"


class AnswerStream:
    """One answer: bytes in, chunks out; raises the error reported in the stream."""

    def __init__(self, target: RequestTarget, parser: AnswerParser) -> None:
        self._target = target
        self._parser = parser
        self._events = EventDecoder()
        self._unread = ""
        """The beginning of events without an object."""
        self.said_done = False
        """Whether `[DONE]` has arrived: nothing follows."""

    @property
    def progress(self) -> int:
        """Grow with each piece of the answer; a keep-alive and an empty delta do not count."""
        return self._parser.progress + self.said_done

    @property
    def is_finished(self) -> bool:
        """Return whether the model has marked its answer as complete."""
        return self._parser.is_finished

    def feed(self, portion: bytes) -> list[AIMessageChunk]:
        """Return the chunks that this portion of the stream completes."""
        try:
            return self._process_events(self._events.feed(portion))
        except EventTooLongError:
            provider = self._target.label
            raise BrokenStreamError(
                text(
                    "{who} sent an event of over {longest_event} bytes",
                    who=provider,
                    longest_event=f"{MAX_EVENT_BYTES:,}",
                ),
                hint=HINTS[ProviderFaultError],
            ) from None

    def feed_document(self, body: str) -> list[AIMessageChunk]:
        """Return the chunks of an answer sent as one JSON document instead of a stream."""
        return self._process_events([body])

    def close(self) -> list[AIMessageChunk]:
        """Return the last chunks, at the end of the stream."""
        chunks = self._process_events(self._events.close())
        if self._parser.progress == 0 and self._events.stray.lstrip()[:1] in (b"{", b"["):
            chunks += self._process_events([self._events.stray.decode("utf-8", "replace")])
        self._check_the_end()
        return [*chunks, *self._parser.close()]

    def _process_events(self, events: Sequence[str]) -> list[AIMessageChunk]:
        return self._parser.feed([value for data in events for value in self._parse_values(data)])

    def _parse_values(self, data: str) -> list[dict[str, Any]]:
        if not self.said_done and data.rstrip().endswith("[DONE]"):
            self.said_done = True
        try:
            values = list(parse_json_values(data))
            if not (values or self.said_done):
                self._unread = f"{self._unread} {data}"[:MAX_UNREAD]
            return values
        except ValueError as error:
            if self.is_finished:
                return []
            provider = self._target.label
            raise BrokenStreamError(
                text("{who} sent broken JSON: {error}", who=provider, error=error),
                hint=HINTS[ProviderFaultError],
            ) from None

    def _check_the_end(self) -> None:
        if self.is_finished or (self.said_done and self._parser.can_end):
            return
        unread = self._unread.strip() or self._events.stray.decode("utf-8", "replace").strip()
        if unread and not self._parser.progress:
            raise classify_stream_error(self._target, unread)
        raise BrokenStreamError(
            text(
                "{who} broke off after {characters} characters, without a finish reason",
                who=self._target.label,
                characters=f"{self._parser.characters:,}",
            ),
            hint=HINTS[ProviderFaultError] if self._parser.progress else WRONG_PROTOCOL,
        )
