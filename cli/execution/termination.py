"""Signals that end this process, SIGHUP of a closed terminal among them."""

import asyncio
import os
import signal
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType

from ...config.exit_codes import SIGNAL_BASE


def find_termination_signals() -> tuple[signal.Signals, ...]:
    """Return SIGTERM, and SIGHUP unless it is ignored: by `nohup`, or as one has arrived."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return (signal.SIGTERM,)
    return (signal.SIGTERM, signal.SIGHUP)


def accept_hangup() -> None:
    """Discard later output to the terminal, and ignore SIGHUP from now on.

    The shell may repeat what the kernel has sent, and a second one would end the cleanup.
    """
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    release_terminal()


def release_terminal() -> None:
    """Replace each stream that was a terminal: a write error would reach no one."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(stream).st_mode):  # `isatty` denies a closed terminal
                os.dup2(nowhere, stream)
    os.close(nowhere)


def build_exit(number: int) -> SystemExit:
    """Return the exit at this signal; after SIGHUP the terminal is not used any more."""
    if number == signal.SIGHUP:
        accept_hangup()
    return SystemExit(SIGNAL_BASE + number)


@contextmanager
def exit_on_termination() -> Generator[None]:
    """While open, SIGTERM and SIGHUP cancel the current task, as Ctrl-C does, and raise SystemExit.

    So a command in the sandbox is ended and its placeholders are removed from the project.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    exits: list[SystemExit] = []

    def receive_signal(number: int, _: FrameType | None) -> None:
        exits.append(build_exit(number))
        if task:
            loop.call_soon_threadsafe(task.cancel)

    before = {number: signal.getsignal(number) for number in find_termination_signals()}
    loop.add_signal_handler(signal.SIGTERM, lambda: None)  # wakes the loop up for any signal
    for number in before:
        signal.signal(number, receive_signal)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        for number, handler in before.items():
            if signal.getsignal(number) is not signal.SIG_IGN:  # it has arrived
                signal.signal(number, handler)
        if exits:
            raise exits[0]
