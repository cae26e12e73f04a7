"""The process that forks: one thread, no event loop, no database, and no run of its own."""

import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from . import channel, identity
from .program import be_program

IDLE_SECONDS = 600.0
"""Without a request for this long, and without a run, the server ends."""
_TICK = 60.0
_CREDENTIALS = struct.Struct("3i")


class Server:
    """Forks for each caller with the same identity, and tells it how the fork ends."""

    def __init__(
        self,
        listener: socket.socket,
        key: str,
        socket_file: Path,
        run: Callable[[], int],
        loading_since: int,
    ) -> None:
        """Serve what was loaded since a time of the clock, in nanoseconds."""
        self._listener, self._key, self._file, self._run = listener, key, socket_file, run
        self._confinement = identity.read_confinement("self")
        self._stamps = list_stamps()
        self._poll = select.epoll()
        self._handlers: dict[int, Callable[[], None]] = {}
        self._callers: dict[int, socket.socket] = {}
        self._last_use, self._forks = time.monotonic(), 0
        # what was changed while it was loaded may be of two versions
        self._is_ending = any(stamp > loading_since for _, stamp in self._stamps)

    def serve(self) -> None:
        """Answer until nobody has asked for long, or what was loaded is not the newest."""
        wakeup, mouth = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.set_wakeup_fd(mouth)
        self._watch(wakeup, select.EPOLLIN, lambda: self._report_children(wakeup))
        self._watch(self._listener.fileno(), select.EPOLLIN, self._accept)
        while not self._has_ended():
            for file, _ in self._poll.poll(_TICK):
                if handler := self._handlers.get(file):
                    handler()

    def _watch(self, file: int, events: int, handler: Callable[[], None]) -> None:
        self._poll.register(file, events)
        self._handlers[file] = handler

    def _ignore(self, file: int) -> None:
        if self._handlers.pop(file, None):
            self._poll.unregister(file)

    def _has_ended(self) -> bool:
        is_idle = time.monotonic() - self._last_use > IDLE_SECONDS
        is_ending = self._is_ending or is_idle or not self._file.exists()
        return is_ending and not self._callers

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        connection.settimeout(2)
        self._last_use = time.monotonic()
        try:
            word, files, _, _ = socket.recv_fds(connection, 1, channel.MAX_FILES + 1)
        except OSError:
            connection.close()
            return
        try:
            self._answer(connection, word, files)
        except OSError:  # the caller is gone
            connection.close()
        finally:
            for file in files:
                os.close(file)

    def _answer(self, connection: socket.socket, word: bytes, files: Sequence[int]) -> None:
        if word == channel.RUN and self._may_fork(connection):
            self._fork(connection, files)
            return
        if word == channel.STATUS:
            channel.send_notice(connection, channel.STATUS, self._forks)
        elif word == channel.QUIT:
            self._end()
        else:
            channel.send_notice(connection, channel.COLD, 0)
        connection.close()

    def _may_fork(self, connection: socket.socket) -> bool:
        """Return whether the caller is this user, confined alike, and no code is newer."""
        size = _CREDENTIALS.size
        peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
        number, user, _ = _CREDENTIALS.unpack(peer)
        if list_stamps() != self._stamps:
            self._end()
            return False
        try:
            return (
                user == os.getuid()
                and number > 0
                and len(os.listdir("/proc/self/task")) == 1
                and identity.read_confinement(number) == self._confinement
            )
        except OSError:
            return False

    def _end(self) -> None:
        """Take no more callers; those that run are told of their ends."""
        self._is_ending = True
        self._file.unlink(missing_ok=True)

    def _fork(self, connection: socket.socket, files: Sequence[int]) -> None:
        child = os.fork()
        if child == 0:
            self._close_files()
            be_program(connection, files, self._key, self._run)
        self._forks += 1
        self._callers[child] = connection
        # what the caller says is for the fork; this process watches for its end alone
        self._watch(connection.fileno(), select.EPOLLRDHUP, lambda: self._lose(child))

    def _close_files(self) -> None:
        """Close in a fork what is the server's."""
        signal.set_wakeup_fd(-1)
        self._poll.close()
        for file in self._handlers:
            os.close(file)

    def _report_children(self, wakeup: int) -> None:
        with suppress(BlockingIOError):
            os.read(wakeup, 4096)
        for child in list(self._callers):
            changed, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
            if changed and os.WIFSTOPPED(status):
                self._notify(child, channel.STOPPED, 0)
            elif changed:
                self._notify(child, channel.ENDED, os.waitstatus_to_exitcode(status))
                self._forget(child)

    def _notify(self, child: int, kind: bytes, number: int) -> None:
        with suppress(OSError):  # the caller is gone
            channel.send_notice(self._callers[child], kind, number)

    def _lose(self, child: int) -> None:
        """End a fork whose caller was killed, as it would have been killed itself."""
        self._ignore(self._callers[child].fileno())
        os.kill(child, signal.SIGKILL)

    def _forget(self, child: int) -> None:
        connection = self._callers.pop(child)
        self._ignore(connection.fileno())
        connection.close()
        self._last_use = time.monotonic()


def list_stamps() -> list[tuple[str, int]]:
    """List when the package's own modules, and the folders of all others, were changed."""
    package = __name__.partition(".")[0]
    files = [
        str(getattr(module, "__file__", None) or "")
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == package
    ]
    stamps: list[tuple[str, int]] = []
    for path in (*files, *sys.path):
        try:
            stamps.append((path, os.stat(path).st_mtime_ns))
        except OSError:
            stamps.append((path, 0))
    return stamps
