"""Cost of a turn: seconds while it ran, tokens, and money."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from ...sdk import events as ev
from ..i18n.catalogs import t
from .humanize import format_cost, format_count, format_duration, format_share

# US dollars that are worth being named in a few words
MIN_COST = 0.005


class TurnMeter:
    """Counts the events of a turn; the time in which a question waits for the user is left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started: float | None = None
        self._seconds = 0.0
        self._input = self._output = self._cached = 0
        self._cost: float | None = 0.0
        self._window = self._length = 0
        """Tokens of the context, and how many it may hold; 0: not known."""

    @property
    def tokens(self) -> int:
        """Tokens of all requests so far, input and output."""
        return self._input + self._output

    def count_event(self, event: ev.Event) -> None:
        """Count one event."""
        match event:
            case ev.RunStarted():
                self._started = self._clock()
            case ev.TokenUsage(request=request):
                self._add_usage(request)
                if not ev.is_from_subagent(event):
                    self._window, self._length = event.window, event.context_length
            case ev.AttemptsCompared(usage=usage):
                self._add_usage(usage)
            case ev.Question() | ev.Completion() | ev.Interrupted() | ev.Failure():
                self._pause_clock()
            case _:
                pass

    def format_summary(self) -> str:
        """Return seconds, tokens and cost on one line; empty if no request was answered."""
        if not self.tokens:
            return ""
        share = round(100 * self._cached / self._input) if self._input else 0
        tokens = t("run.tokens", input=f"{self._input:,}", cached=share, output=f"{self._output:,}")
        cost = "" if self._cost is None else f" · {format_cost(self._cost)}"
        return f"{self._compute_elapsed():.1f} s · {tokens}{cost}"

    def format_brief(self) -> str:
        """Return seconds, the context and the cost in a few words."""
        seconds = max(self._compute_elapsed(), 1)
        return f"{format_duration(seconds)} · {self.format_usage()}"

    def format_usage(self) -> str:
        """Return how full the context is, and the cost; empty if no request was answered.

        What all requests have sent together says little; without a context it is all there is.
        """
        cost = "" if (self._cost or 0) < MIN_COST else f" · ${self._cost:.2f}"
        usage = t("progress.tokens", count=format_count(self.tokens))
        if self._length:
            usage = t("run.context", share=format_share(self._window, self._length))
        return f"{usage}{cost}" if self.tokens else ""

    def _compute_elapsed(self) -> float:
        running = 0.0 if self._started is None else self._clock() - self._started
        return self._seconds + running

    def _pause_clock(self) -> None:
        self._seconds, self._started = self._compute_elapsed(), None

    def _add_usage(self, request: Mapping[str, Any]) -> None:
        self._input += request.get("input", 0)
        self._output += request.get("output", 0)
        self._cached += request.get("cached", 0)
        cost = request.get("cost")
        self._cost = None if self._cost is None or cost is None else self._cost + cost
