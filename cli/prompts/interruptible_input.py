"""Waiting so that every signal is heard, also one that comes in the moment before the wait.

Python calls a signal's handler between two steps of a program. A signal that comes after the last
such look and before the system call that waits ends nothing: `input` would read on until a line
is typed, however long ago its process was told to end.
"""

import os
import select
import signal
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cache
from threading import current_thread, main_thread
from types import FrameType
from typing import TextIO, TypeVar

Answer = TypeVar("Answer")
# Of the whole process, as signals are
_came: list[BaseException] = []


def run_interruptible(
    meant: Mapping[signal.Signals, type[BaseException]], ask: Callable[[], Answer]
) -> Answer:
    """What `ask` answers; where one of these signals comes, what it means is raised instead.

    It is raised where `ask` waits, or at its end: nothing else that it does is torn.
    """

    def record_signal(number: int, _: FrameType | None) -> None:
        _came.append(meant[signal.Signals(number)]())

    before = {one: signal.signal(one, record_signal) for one in meant}
    try:
        return ask()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        try:
            _raise_pending()
        finally:
            _came.clear()


def read_stdin_line() -> str:
    """A line from stdin, like `input`; at a terminal a signal ends the wait."""
    if is_terminal(sys.stdin):  # which gives whole lines: nothing of one is left in a buffer
        wait_until_readable(sys.stdin.fileno())
    return input()


def is_terminal(stream: TextIO) -> bool:
    """Whether a human may be at the other end."""
    try:
        return os.isatty(stream.fileno())
    except (OSError, ValueError):  # it is closed, or in memory only
        return False


def wait_until_readable(descriptor: int) -> None:
    """Wait until something can be read there; raises what a signal means, or its handler raises."""
    if current_thread() is not main_thread():  # which signals are none of
        select.select([descriptor], [], [])
        return
    with _open_wakeup_pipe() as ear:
        _raise_pending()
        while descriptor not in select.select([descriptor, ear], [], [])[0]:
            os.read(ear, 512)
            _raise_pending()


def _raise_pending() -> None:
    if _came:
        raise _came[-1]


@contextmanager
def _open_wakeup_pipe() -> Generator[int]:
    """Becomes readable with each signal that has a handler."""
    ear, mouth = _create_pipe()
    before = signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    try:
        yield ear
    finally:
        signal.set_wakeup_fd(before)


@cache
def _create_pipe() -> tuple[int, int]:
    """Never closed: what is written at a signal must not come to go into another file."""
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    return ear, mouth
