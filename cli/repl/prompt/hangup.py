"""Exit on SIGHUP and SIGTERM: a closed window or a shutdown ends it as if the user had left.

A signal is recorded at once and handled in the loop. The loop is blocked while a question waits for
its answer; the record has a signal that arrived just before.
"""

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

from ...execution.stop_signal import find_termination_signals, release_terminal

# State of the whole process, as signals are
_received_signals: set[int] = set()
# Functions that get the number of a SIGTERM
_receivers: list[Callable[[int], None]] = []


@contextmanager
def handle_hangup(
    leave: Callable[[], None], receive: Callable[[int], None] = lambda _: None
) -> Generator[None]:
    """While open, SIGHUP and SIGTERM call `leave` instead of killing the process.

    `receive` gets the number of a SIGTERM as soon as it arrives.
    """
    loop = asyncio.get_running_loop()

    def receive_signal(number: int, _: FrameType | None) -> None:
        _received_signals.add(number)
        if number == signal.SIGTERM:
            # not here: it starts a thread, and this may interrupt the start of another one
            loop.call_soon_threadsafe(receive, number)
        loop.call_soon_threadsafe(exit_on_hangup if number == signal.SIGHUP else leave)

    def exit_on_hangup() -> None:
        release_terminal()
        leave()

    _receivers.append(receive)
    before = {number: signal.getsignal(number) for number in find_termination_signals()}
    for signal_number in before:
        loop.add_signal_handler(signal_number, lambda: None)  # wakes the loop up for each
        signal.signal(signal_number, receive_signal)
    try:
        yield
    finally:
        for signal_number, handler in before.items():
            loop.remove_signal_handler(signal_number)
            signal.signal(signal_number, handler)
        _receivers.remove(receive)
        _received_signals.clear()


def pass_on_termination() -> None:
    """Pass on a SIGTERM that a question received, as it had the signal's handler."""
    for receive in _receivers:
        receive(signal.SIGTERM)


def has_received_signal() -> bool:
    """Return whether such a signal has arrived, even if the loop has not handled it yet."""
    return bool(_received_signals)
