"""The signals that stop this process: their exit codes, and the deadline to exit."""

import asyncio
import os
import signal
import stat
import threading
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from types import FrameType
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
    return SystemExit(exit_codes.SIGNAL_BASE + number)


@contextmanager
def exit_on_termination() -> Generator[None]:
    """While open, SIGTERM and SIGHUP cancel the current task, as Ctrl-C does, and raise SystemExit.

    So a command is ended, and the links that it replaced in the project are restored. Only the
    first counts: another one would end that.
    """
    loop, task, stop = asyncio.get_running_loop(), asyncio.current_task(), StopSignal()
    exits: list[SystemExit] = []

    def receive_signal(number: int, _: FrameType | None) -> None:
        exits.append(build_exit(number))
        # not here: what it interrupts may hold the lock that a new thread needs
        loop.call_soon_threadsafe(cancel_once, number)

    def cancel_once(number: int) -> None:
        if task and not stop.exit_code:
            task.cancel()
        stop.receive(number)

    before = {number: signal.getsignal(number) for number in find_termination_signals()}
    loop.add_signal_handler(signal.SIGTERM, lambda: None)  # wakes the loop up for any signal
    for number in before:
        signal.signal(number, receive_signal)
    try:
        yield
    finally:
        stop.cancel_exit()
        loop.remove_signal_handler(signal.SIGTERM)
        for number, handler in before.items():
            if signal.getsignal(number) is not signal.SIG_IGN:  # it has arrived
                signal.signal(number, handler)
        if exits:
            raise exits[0]
