"""The signal that stops this process: its exit code, and the deadline to exit."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from ...config import exit_codes

# Seconds after the signal. Finished work is on the disk already, as before a SIGKILL. Most runs
# end sooner; this is for what cannot be cancelled: a thread that waits for a dead name server,
# a process that the system holds.
MAX_EXIT_SECONDS = 7.5


class StopSignal:
    """Receives the first signal and ends the process in time, even if something still runs."""

    def __init__(self) -> None:
        self._number = 0
        self._timer: threading.Timer | None = None

    @property
    def exit_code(self) -> int:
        """Return 128 plus the signal's number; 0 if there was none."""
        return exit_codes.SIGNAL_BASE + self._number if self._number else 0

    def receive(self, number: int) -> None:
        """Receive a signal; only the first one counts."""
        if self._number:
            return
        self._number = number
        self._timer = threading.Timer(MAX_EXIT_SECONDS, os._exit, [self.exit_code])
        self._timer.daemon = True
        self._timer.start()

    def cancel_exit(self) -> None:
        """Let the process continue: what had to stop has stopped."""
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
