"""The terminal's echo: off from a first instruction to a last answer, so that no key is shown.

Between two questions the terminal itself would show what is typed or pasted, also a key that comes
before its question.
"""

import os
import signal
import sys
import termios
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType

from .interruptible_input import is_terminal

# The terminal's settings before the echo was turned off; state of the process, as the terminal is
_before: list[list[int | list[bytes | int]]] = []


@contextmanager
def hidden_echo() -> Generator[None]:
    """Turn the echo off while open; it is restored on every way out, by a signal, too."""
    if _before or not is_terminal(sys.stdin):
        yield
        return
    _before.append(termios.tcgetattr(sys.stdin))
    with ExitStack() as stack:
        stack.callback(_restore)
        stack.enter_context(_restored_by_signals())
        _hide()
        yield
        with suppress(termios.error):  # what came late is for no other question to show
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


@contextmanager
def shown_echo() -> Generator[None]:
    """Turn the echo on again for one question whose answer is no secret."""
    if not _before:
        yield
        return
    _set(_before[0])
    try:
        yield
    finally:
        _hide()


def _hide() -> None:
    hidden = list(_before[0])
    flags = hidden[3]
    hidden[3] = flags & ~termios.ECHO if isinstance(flags, int) else flags
    _set(hidden)


def _restore() -> None:
    if _before:
        _set(_before.pop())


def _set(attributes: list[int | list[bytes | int]]) -> None:
    with suppress(termios.error):  # the terminal is gone
        termios.tcsetattr(sys.stdin, termios.TCSANOW, attributes)


@contextmanager
def _restored_by_signals() -> Generator[None]:
    """Restore the terminal before a signal kills the process; what has a handler keeps it."""
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    is_main = current_thread() is main_thread()  # only the main thread handles signals
    killing = [each for each in numbers if is_main and signal.getsignal(each) is signal.SIG_DFL]
    for number in killing:
        signal.signal(number, _restore_and_die)
    try:
        yield
    finally:
        for number in killing:
            signal.signal(number, signal.SIG_DFL)


def _restore_and_die(number: int, _: FrameType | None) -> None:
    _restore()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
