"""The process that forks: one thread, no event loop, no database, and no run of its own."""

import fcntl
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn, TextIO

from ...config.exit_codes import INTERRUPTED
from . import caller, channel, identity
from .choice import is_wanted

IDLE_SECONDS = 600.0
"""Without a request for this long, and without a run, the server ends."""
_TICK = 60.0
_CREDENTIALS = struct.Struct("3i")


_STREAMS = ("stdin", "stdout", "stderr")
_KEPT: list[object] = []
"""The server's streams: freed, they would close the numbers that are the fork's now."""


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


def be_program(
    connection: socket.socket, files: Sequence[int], key: str, run: Callable[[], int]
) -> NoReturn:
    """Take over what the caller has, wait for its `GO`, and run; do nothing without it."""
    code = 1
    try:  # whatever goes wrong, the server's own code must not go on in a fork
        try:
            connection = _become_ready(connection, files, key)
        except Exception:
            channel.send_notice(connection, channel.COLD, 0)
            os._exit(code)
        channel.send_notice(connection, channel.READY, os.getpid())
        if connection.recv(1) == channel.GO:
            code = run()
            channel.send_notice(connection, channel.CODE, code)  # the server may be gone by now
    except KeyboardInterrupt:
        code = INTERRUPTED
    finally:
        os._exit(code)


def _become_ready(connection: socket.socket, files: Sequence[int], key: str) -> socket.socket:
    """Take over all that the request has; raise an exception where that is impossible."""
    request = channel.receive_request(connection)
    connection = _take_files(connection, files, request["files"])
    connection.settimeout(None)
    _take_environment(request["environ"], key)
    if not is_wanted(os.environ):
        raise ValueError("server.warm")
    os.umask(request["umask"])
    _take_signals(request["ignored"], request["blocked"])
    os.setpgid(0, 0)
    sys.argv[:] = request["argv"]
    caller.keep_caller(request["session"], connection)
    _open_streams(request["unbuffered"])
    _take_name()
    return connection


def _take_files(
    connection: socket.socket, files: Sequence[int], numbers: Sequence[int]
) -> socket.socket:
    """Go to the caller's folder, and give its open files the numbers that they have there."""
    folder, *sent = files
    if len(sent) != len(numbers):
        raise ValueError(numbers)
    os.fchdir(folder)
    os.close(folder)
    free = max(*numbers, *files, connection.fileno()) + 1
    moved = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, free) for each in sent]
    kept_connection = socket.socket(
        fileno=fcntl.fcntl(connection.fileno(), fcntl.F_DUPFD_CLOEXEC, free)
    )
    connection.close()
    for each in sent:
        os.close(each)
    for each, number in zip(moved, numbers, strict=True):
        os.dup2(each, number)
        os.close(each)
    return kept_connection


def _take_environment(environ: Mapping[str, str], key: str) -> None:
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    if identity.compute_key(os.environ, identity.read_confinement("self")) != key:
        raise ValueError(key)


def _take_signals(ignored: Sequence[int], blocked: Sequence[int]) -> None:
    """Treat signals as a new Python does that inherits these from its parent."""
    for number in {signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM}:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _open_streams(is_unbuffered: bool) -> None:
    """Open the three anew: how they buffer and seek depends on what is behind them."""
    opened = [_open_stream(number, is_unbuffered) for number in range(3)]
    for name, stream in zip(_STREAMS, opened, strict=True):
        _KEPT.append(getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _open_stream(number: int, is_unbuffered: bool) -> TextIO:
    """Open one as Python does at its start."""
    before = getattr(sys, _STREAMS[number])
    if number and is_unbuffered:
        raw = os.fdopen(number, "wb", 0)
        return TextIOWrapper(raw, before.encoding, before.errors, write_through=True)
    mode, buffering = ("w" if number else "r"), (1 if number == 2 else -1)
    return os.fdopen(number, mode, buffering, encoding=before.encoding, errors=before.errors)


def _take_name() -> None:
    with suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as name:
        name.write("mcode")
