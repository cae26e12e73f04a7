"""The signal that tells this process to end: its exit code, and the time in which it ends."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any

# Seconds after the signal. What had finished is on the disk by then, as before a SIGKILL. Most runs
# end sooner; this is for what cannot be cancelled: a thread that asks a dead name server, a process
# that the system holds.
LONGEST_END = 7.5


class StopSignal:
    """Takes the first signal; the process ends in time, whatever still runs."""

    def __init__(self) -> None:
        self._number = 0
        self._timer: threading.Timer | None = None

    @property
    def exit_code(self) -> int:
        """128 and the signal's number; 0 where none came."""
        return 128 + self._number if self._number else 0

    def receive(self, number: int) -> None:
        """Take a signal; only the first one counts."""
        if self._number:
            return
        self._number = number
        self._timer = threading.Timer(LONGEST_END, os._exit, [self.exit_code])
        self._timer.daemon = True
        self._timer.start()

    def cancel_exit(self) -> None:
        """Let the process go on: what was to end has ended."""
        if self._timer:
            self._timer.cancel()


def run_stoppable(main: Callable[[StopSignal], Coroutine[Any, Any, int]]) -> int:
    """Run it and return its exit code, or that of the signal that `main` has passed on."""
    stop = StopSignal()
    try:
        code = asyncio.run(main(stop))
    finally:
        stop.cancel_exit()
    return stop.exit_code or code
