"""Cancellation of a run's streams by signals and by the time limit."""

import asyncio
import signal
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from ...nodes.events.union import build_usage
from ...sdk.events import Event, Interrupted, RunStarted, TokenUsage, as_json
from ..rendering.renderer import Renderer
from .stop_signal import StopSignal, accept_hangup, find_termination_signals

if TYPE_CHECKING:
    from ...sdk.runner import Runner

# Seconds that a step has to finish after a stop; a command has two more to end itself
GRACE = 3.0


class CancellableStream:
    """Shows the streams of a runner one after another, and can stop them."""

    def __init__(
        self,
        runner: "Runner",
        renderer: Renderer,
        seconds: float = 0.0,
        stop: StopSignal | None = None,
    ) -> None:
        """Limit all streams together to `seconds`; report each signal to `stop`."""
        self._runner, self._renderer, self._stop = runner, renderer, stop
        self._left = seconds or None
        self._timed_out = False
        self.was_stopped = False
        """Whether a signal arrived during the last stream."""
        self._watching: asyncio.Future[Event | None] | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._thread_id = ""
        self._usage: dict[str, Any] = {}

    async def show_events(self, events: AsyncGenerator[Event]) -> Event | None:
        """Show a stream to its end; return the last event, or None if it stopped before its first.

        Stopping at once does not lose anything of the thread either.
        """
        self._watching = asyncio.ensure_future(self._consume_events(events))
        with self._handle_signals(), self._enforce_time_limit():
            try:
                return await self._watching
            except asyncio.CancelledError:
                return self._show_interrupted()

    def stop_at_once(self) -> None:
        """End the current stream, if any, without waiting for its step."""
        if self._watching:
            self._watching.cancel()

    async def _consume_events(self, events: AsyncGenerator[Event]) -> Event | None:
        last: Event | None = None
        async with aclosing(events):
            async for last in events:
                if isinstance(last, RunStarted):
                    self._thread_id = last.thread_id
                elif isinstance(last, TokenUsage) and not last.agent:
                    self._usage = build_usage(as_json(last))
                self._renderer.show_event(last)
        return last

    def _show_interrupted(self) -> Event | None:
        if not self._thread_id:
            return None
        reason = "timeout" if self._timed_out else "user"
        last = Interrupted(self._thread_id, reason, usage=self._usage)
        self._renderer.show_event(last)
        return last

    @contextmanager
    def _handle_signals(self) -> Generator[None]:
        """On the first signal let the step finish and save all; on the second stop at once.

        A signal is recorded when it arrives: the loop drops one that it handles too late.
        """
        loop, received = asyncio.get_running_loop(), list[int]()
        numbers = (signal.SIGINT, *find_termination_signals())
        self.was_stopped = False

        def record_signal(number: int, _: FrameType | None) -> None:
            if number == signal.SIGHUP:
                accept_hangup()
            received.append(number)
            loop.call_soon_threadsafe(process_signals)

        def process_signals() -> None:
            while received:
                self._receive_signal(received.pop(0))

        loop.add_signal_handler(signal.SIGINT, lambda: None)  # wakes the loop up for any signal
        for number in numbers:
            signal.signal(number, record_signal)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            for number in numbers[1:]:
                if signal.getsignal(number) is not signal.SIG_IGN:  # a SIGHUP has arrived
                    signal.signal(number, signal.SIG_DFL)
            process_signals()
            self._cancel_grace()

    def _receive_signal(self, number: int) -> None:
        if self._stop:
            self._stop.receive(number)
        self._cancel_grace()
        if self.was_stopped:
            self.stop_at_once()
            return
        self.was_stopped = True
        self._grace = asyncio.get_running_loop().call_later(GRACE, self.stop_at_once)
        self._runner.stop()
        self._renderer.show_stopping()

    def _cancel_grace(self) -> None:
        if self._grace:
            self._grace.cancel()

    @contextmanager
    def _enforce_time_limit(self) -> Generator[None]:
        """Count only the time of streams: the user may take any time to answer."""
        if self._left is None:
            yield
            return
        loop = asyncio.get_running_loop()
        begin = loop.time()
        self._runner.deadline = time.monotonic() + self._left
        drain = loop.call_later(self._left, self._handle_timeout)
        stop = loop.call_later(self._left + GRACE, self.stop_at_once)
        try:
            yield
        finally:
            drain.cancel()
            stop.cancel()
            self._left = max(0.0, self._left - (loop.time() - begin))

    def _handle_timeout(self) -> None:
        self._timed_out = True
        self._runner.stop(reason="timeout")
