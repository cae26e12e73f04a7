"""A connection that must send its request in time, against clients that hold them open."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

# Seconds within which the head of a request must have arrived
HEAD_TIME = 10.0


class TimedProtocol(H11Protocol):
    """HTTP/1.1 whose connections end when no whole head of a request comes."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Read data; the wait ends with the head of the request."""
        super().data_received(data)
        if self._deadline and self.cycle and not self.cycle.response_complete:
            self._deadline.cancel()
            self._deadline = None

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._deadline:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        if self._deadline:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(HEAD_TIME, self.transport.close)
