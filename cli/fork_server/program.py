"""The fork: it becomes the process that its caller would have been."""

import fcntl
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn, TextIO

from ...config.exit_codes import INTERRUPTED
from . import caller, channel, identity
from .choice import is_wanted


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


_STREAMS = ("stdin", "stdout", "stderr")
_KEPT: list[object] = []
"""The server's streams: freed, they would close the numbers that are the fork's now."""


def _take_name() -> None:
    with suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as name:
        name.write("mcode")
