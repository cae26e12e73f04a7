"""What takes its time to find and is wanted at each key: looked for again after some seconds."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

Found = TypeVar("Found")
FRESH = 5.0
"""Seconds after which it is looked for again."""


class TtlCache(Generic[Found]):
    """A function that is not asked at each call."""

    def __init__(self, look: Callable[[], Found]) -> None:
        self._look = look
        self._found: tuple[float, Found] | None = None

    def __call__(self) -> Found:
        """What it answered last, or answers now."""
        if self._found is None or time.monotonic() - self._found[0] > FRESH:
            found = self._look()
            self._found = (time.monotonic(), found)
        return self._found[1]
