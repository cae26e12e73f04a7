"""Waits that no signal can slip past, even one that arrives in the moment before the wait.

Python calls a signal's handler between two bytecode instructions. A signal that arrives after the
last such check and before the system call that waits interrupts nothing: `input` would wait for the
next line, however long ago the process was asked to exit.
"""

import os
import select
import signal
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cache
from threading import current_thread, get_ident, main_thread
from types import FrameType
from typing import TYPE_CHECKING, TextIO, TypeVar

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

Answer = TypeVar("Answer")
# Seconds in which nobody types another key after Enter, and a terminal sends the rest of a paste
BURST_SECONDS = 0.01
# State of the whole process, as signals are
_received: list[BaseException] = []


def run_interruptible(
    exceptions: Mapping[signal.Signals, Callable[[], BaseException]], ask: Callable[[], Answer]
) -> Answer:
    """Return the result of `ask`; on one of these signals raise its exception instead.

    It is raised where `ask` waits, or at its end: nothing else that it does is interrupted.
    """

    def record_signal(number: int, _: FrameType | None) -> None:
        _received.append(exceptions[signal.Signals(number)]())

    before = {
        signal_number: signal.signal(signal_number, record_signal) for signal_number in exceptions
    }
    try:
        return ask()
    finally:
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)
        try:
            _raise_pending()
        finally:
            _received.clear()


def read_stdin_line() -> str:
    """Read a line from stdin, like `input`; at a terminal a signal ends the wait."""
    if is_terminal(sys.stdin):  # a terminal delivers whole lines: no part of one stays in a buffer
        wait_until_readable(sys.stdin.fileno())
    return input()


def is_terminal(stream: TextIO) -> bool:
    """Return whether the stream is a terminal, so that a user may be present."""
    try:
        return os.isatty(stream.fileno())
    except (OSError, ValueError):  # it is closed, or in memory only
        return False


def has_more_input(descriptor: int) -> bool:
    """Return whether more input comes at once, as the next line of a paste does."""
    return bool(select.select([descriptor], [], [], BURST_SECONDS)[0])


def wait_until_readable(descriptor: int) -> None:
    """Wait until there is input; raise the exception of a signal, or what its handler raises."""
    if current_thread() is not main_thread():  # only the main thread handles signals
        select.select([descriptor], [], [])
        return
    with _open_wakeup_pipe() as ear:
        _raise_pending()
        while descriptor not in select.select([descriptor, ear], [], [])[0]:
            os.read(ear, 512)
            _raise_pending()


def bind_suspension(bindings: "KeyBindings", on_resume: Callable[[], None] = lambda: None) -> None:
    """Bind Ctrl-Z, which gives the terminal back to the shell until `fg`."""

    def suspend() -> None:
        suspend_process_group()
        on_resume()

    @bindings.add("c-z")
    def _suspend(event: "KeyPressEvent") -> None:
        from prompt_toolkit.application import run_in_terminal

        run_in_terminal(suspend)


def suspend_process_group() -> None:
    """Stop this process and its group; return when it goes on.

    A signal to the group may stop this thread late, after it has drawn the question again and set
    the terminal that the shell restores. So one waits for this thread, too; of both, what is still
    pending is lost when the process goes on.
    """
    stops = {signal.SIGTSTP}
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        signal.pthread_kill(get_ident(), signal.SIGTSTP)
        os.kill(0, signal.SIGTSTP)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)


def _raise_pending() -> None:
    if _received:
        raise _received[-1]


@contextmanager
def _open_wakeup_pipe() -> Generator[int]:
    """Yield a descriptor that becomes readable with each signal that has a handler."""
    ear, mouth = _create_pipe()
    before = signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    try:
        yield ear
    finally:
        signal.set_wakeup_fd(before)


@cache
def _create_pipe() -> tuple[int, int]:
    """Create a pipe that is never closed: else a signal could write its byte into another file."""
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    return ear, mouth
