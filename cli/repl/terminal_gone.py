"""The window is closed, or the machine goes down: end as if the human had left."""

import asyncio
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager


@contextmanager
def told_when_gone(leave: Callable[[], None]) -> Generator[None]:
    """While open, SIGHUP and SIGTERM lead to `leave` instead of the process's sudden end."""
    loop = asyncio.get_running_loop()

    def hang_up() -> None:
        _let_go_of_terminal()
        leave()

    loop.add_signal_handler(signal.SIGHUP, hang_up)
    loop.add_signal_handler(signal.SIGTERM, leave)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        loop.remove_signal_handler(signal.SIGTERM)


def _let_go_of_terminal() -> None:
    """What is still written goes nowhere: there is nobody to tell of an error."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
