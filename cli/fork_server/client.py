"""Asks for a fork and ends as it ends; it loads nothing heavy before that was tried."""

import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from ...config.exit_codes import FAILED
from ..i18n.catalogs import t
from ..rendering.output import echo
from . import channel, identity
from .choice import is_off, locate_home

# What calls a model; the other commands load little
RUNS = {"chat", "edit", "explain", "init", "resume", "review", "task", "test"}
PATIENCE = 2.0
"""Seconds for an answer; then the run starts cold, as without a server."""
_PASSED_ON = ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "TSTP", "CONT", "WINCH")
# What a terminal sends to all processes of a job
_FROM_TERMINAL = ("INT", "QUIT", "TSTP", "CONT", "WINCH")


def is_possible(arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Return whether a fork would be the same as a start."""
    return (
        bool(arguments)
        and arguments[0] in RUNS
        and not is_off(arguments, environ)
        and not _may_take_terminal()
        and not any("/dev/fd/" in word or "/proc/self/" in word for word in arguments)
        and identity.is_usual_python(environ)
    )


def _may_take_terminal() -> bool:
    """Return whether it reads a pipe, then asks at its terminal: a fork cannot open that one."""
    return not os.isatty(0) and os.isatty(1) and os.isatty(2)


def run_forked(arguments: Sequence[str]) -> int | None:
    """Have this command run by a fork, and return its exit code; None: it has to start cold."""
    try:
        if not is_possible(arguments, os.environ):
            return None
        confinement = identity.read_confinement("self")
        if identity.gives_up_privileges(confinement):
            return None
        key = identity.compute_key(os.environ, confinement)
        server = channel.connect(locate_home(os.environ), key, PATIENCE)
    except (OSError, RuntimeError, ValueError):
        return None
    with server:
        try:
            number = _ask(server)
            process = os.pidfd_open(number)
        except (OSError, EOFError, ValueError):
            return None
        before = _pass_signals(number, process)
        code: int | None = None
        with suppress(BrokenPipeError):  # it was killed, and has done nothing
            server.sendall(channel.GO)
            server.settimeout(None)
            code = _follow(server, number, process)
        for each, handler in before.items():
            signal.signal(each, handler)
        return code


def _ask(server: socket.socket) -> int:
    """Send the request, and return the number of the process that waits for `GO`."""
    folder = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        files = _list_files()
        request = describe_process(files)
        channel.send_request(server, request, [folder, *files])
    finally:
        os.close(folder)
    kind, number = channel.receive_notice(server)
    if kind != channel.READY:
        raise EOFError
    return number


def describe_process(files: list[int]) -> dict[str, Any]:
    """Describe what a fork takes over."""
    umask = os.umask(0o077)
    os.umask(umask)
    ignored = [number for number in _list_signals() if signal.getsignal(number) == signal.SIG_IGN]
    return {
        "argv": sys.argv,
        "environ": dict(os.environ),
        "files": files,
        "umask": umask,
        "ignored": [int(number) for number in ignored],
        "blocked": [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())],
        "session": os.getsid(0),
        "unbuffered": getattr(sys.stdout, "write_through", False),
    }


def _list_files() -> list[int]:
    """List the streams and what else was inherited; raise ValueError if a fork cannot have it."""
    numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    files: list[int] = []
    for number in sorted(numbers):
        with suppress(OSError):  # the one that listed
            if number < 3 or os.get_inheritable(number):
                files.append(number)
    if files[:3] != [0, 1, 2] or len(files) >= channel.MAX_FILES:
        raise ValueError(files)
    return files


def _list_signals(names: Sequence[str] = _PASSED_ON) -> list[signal.Signals]:
    return [getattr(signal, f"SIG{name}") for name in names]


def _pass_signals(number: int, process: int) -> dict[signal.Signals, Any]:
    """Pass on each signal that this process gets, to whom the terminal would have sent it."""
    at_terminal = _list_signals(_FROM_TERMINAL) if any(map(os.isatty, range(3))) else []

    def pass_on(received: int, frame: object) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(process, 0)  # its number is its own until it has ended
            if received in at_terminal:
                os.killpg(number, received)
            else:
                signal.pidfd_send_signal(process, received)

    # those too that are ignored here: the run may listen to them
    return {each: signal.signal(each, pass_on) for each in _list_signals()}


def _follow(server: socket.socket, number: int, process: int) -> int | None:
    """Stop where the fork stops, and return its exit code; None if it has handed the run back."""
    code: int | None = None
    while True:
        try:
            kind, value = channel.receive_notice(server)
        except (EOFError, ConnectionError):
            return _report_lost(number) if code is None else code
        if kind == channel.STOPPED:
            os.kill(os.getpid(), signal.SIGSTOP)
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, 0)
                os.killpg(number, signal.SIGCONT)
        elif kind == channel.COLD:
            return None
        elif kind == channel.CODE:
            code = value
        elif kind == channel.ENDED:
            if value < 0:
                _end_by_signal(-value)
            return value


def _end_by_signal(number: int) -> NoReturn:
    """End as the fork did, so that a shell sees the same."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(OSError, ValueError):  # SIGKILL has no handler
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _report_lost(number: int) -> int:
    echo(t("fork_server.lost", number=number), err=True)
    return FAILED
