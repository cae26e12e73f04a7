"""The server side of `launcher.py`: a small process that starts commands and ends them.

It is a program of its own that needs only the standard library, and little of it: the first command
waits until it has started. Once started it waits for calls; for each it forks a keeper, which
starts the command and, on Linux, adopts every orphan of its descendants, even those in other
sessions. When MaxAgent asks for it or is gone, even by SIGKILL,
the keeper kills them all. Where a process cannot adopt orphans (macOS), it kills the command's
process group, and a descendant in its own session survives.

A call is one byte, `G` if it has a guard, with four descriptors: the call's channel, output, errors
and folder; those of namespaces that the command enters may follow, each before the ones that it
owns. The channel carries the length and, by `marshal`, `{argv, env}`, maybe with `has_input` and
with the rules of a guard (`creation_guard.py`), then `T` to terminate all processes; closing it
kills them. The reply
is one line, the exit code as shells count; the channel closes when no process is left.
"""

import binascii
import ctypes
import marshal
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import ModuleType

# PR_SET_CHILD_SUBREAPER, prctl(2)
_SUBREAPER = 36
# Signals that a command gets with their default action, after changes by Python and the supervisor
_RESTORED = (
    signal.SIGPIPE,
    signal.SIGXFSZ,
    signal.SIGCHLD,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGHUP,
)
# Signals that the supervisor ignores; blocked until it does
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# A number above every descriptor that a keeper holds
_DESCRIPTOR_BOUND = 256
# Descriptors that a call can have
_MAX_DESCRIPTORS = 8


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _open_wakeup_pipe() -> int:
    """Return a descriptor that becomes readable when a child has ended."""
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _read_parents() -> dict[int, int]:
    """Return the parent of every process; empty if there is no /proc."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                parents[int(name)] = int(stat.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):  # not a process, or already gone
            continue
    return parents


def _find_children() -> set[int]:
    return {pid for pid, parent in _read_parents().items() if parent == os.getpid()}


def _find_descendants() -> set[int]:
    parents, below = _read_parents(), {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {os.getpid()}


def _send_signal(number: signal.Signals, group: int) -> None:
    """Signal all descendants, or the group if they cannot be listed."""
    has_proc = os.path.isdir("/proc/self")
    # parents first: a shell that traps TERM must not see its child end before it
    descendants = sorted(_find_descendants())
    everybody = [(os.kill, pid) for pid in descendants] if has_proc else [(os.killpg, group)]
    for send, target in everybody:
        with suppress(ProcessLookupError, PermissionError):
            send(target, number)


class _Call:
    """One command and all processes that it starts."""

    def __init__(
        self, channel: socket.socket, output: int, errors: int, folder: int, *namespaces: int
    ) -> None:
        self._channel, self._wake = channel, _open_wakeup_pipe()
        self._guard = None
        request = marshal.loads(
            _receive_exactly(channel, struct.unpack("!I", _receive_exactly(channel, 4))[0])
        )
        rules = request.get("guard")
        keeper, command = socket.socketpair() if rules else (None, None)
        self._child = os.fork()
        if self._child == 0:
            if request.get("has_input"):  # the output is a socket
                os.dup2(output, 0)
            guard = (binascii.a2b_base64(rules["program"]), command) if rules else None
            argv, env = request["argv"], request["env"]
            _execute_command(argv, env, output, errors, folder, namespaces, guard)
        if keeper and command:
            command.close()
            self._guard = _guards().CreationGuard(keeper, rules)
            keeper.close()
        for descriptor in (output, errors, folder, *namespaces):
            os.close(descriptor)

    def watch(self) -> None:
        """Report the command's end, and pass on termination requests, until the channel closes."""
        while True:
            asked: list[int] = self._guard.descriptors if self._guard else []
            ready, _, _ = select.select([self._channel, self._wake, *asked], [], [])
            if self._guard and asked[0] in ready:
                self._guard.answer()
            if self._wake in ready:
                _drain_pipe(self._wake)
                self._reap_children(os.WNOHANG)
            if self._channel in ready:
                if self._channel.recv(1) != b"T":
                    return
                _send_signal(signal.SIGTERM, self._child)

    def kill(self) -> None:
        """Kill until no process is left."""
        left = True
        while left:
            _send_signal(signal.SIGKILL, self._child)
            left = self._reap_children(os.WNOHANG) or self._reap_children(0)

    def _reap_children(self, how: int) -> bool:
        """Reap the children that have ended; return whether there was one."""
        ended = list(_iter_ended(how))
        for pid, status in ended:
            if pid == self._child:
                self._report_exit(os.waitstatus_to_exitcode(status))
        return bool(ended)

    def _report_exit(self, code: int) -> None:
        with suppress(OSError):  # the client may be gone
            self._channel.sendall(b"%d\n" % (code if code >= 0 else 128 - code))


def _iter_ended(how: int = os.WNOHANG) -> Iterator[tuple[int, int]]:
    """Yield ended children with their status; without WNOHANG, wait for the first."""
    with suppress(ChildProcessError):
        while (ended_child := os.waitpid(-1, how))[0]:
            yield ended_child
            how = os.WNOHANG


def _receive_exactly(channel: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = channel.recv(size - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


def _drain_pipe(descriptor: int) -> None:
    with suppress(BlockingIOError):
        while os.read(descriptor, 512):
            continue


def _enter_namespaces(descriptors: Sequence[int]) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    for descriptor in descriptors:
        if library.setns(descriptor, 0):
            raise OSError(ctypes.get_errno(), "cannot enter the private network")


def _guards() -> ModuleType:
    """Return the module `creation_guard`, which lies beside this one, outside of any package."""
    return __import__("creation_guard")


def _execute_command(
    argv: list[str],
    env: dict[str, str],
    output: int,
    errors: int,
    folder: int,
    namespaces: Sequence[int],
    guard: "tuple[bytes, socket.socket | None] | None",
) -> None:
    """Become the command: a session of its own, nothing else inherited; never return."""
    try:
        os.setsid()
        os.fchdir(folder)
        os.dup2(output, 1)
        os.dup2(errors, 2)
        if namespaces:
            _enter_namespaces(namespaces)
        if guard:
            _guards().install_filter(*guard)
        os.closerange(3, _DESCRIPTOR_BOUND)
        signal.set_wakeup_fd(-1)
        for number in _RESTORED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        os.execvpe(argv[0], argv, env)
    except FileNotFoundError:
        os.write(2, f"{argv[0]}: not found\n".encode(errors="replace"))
        os._exit(127)
    except BaseException as error:
        os.write(2, f"{argv[0]}: {error}\n".encode(errors="replace"))
        os._exit(126)


def _run_keeper(descriptors: list[int]) -> None:
    """Run as the keeper of one call; never return."""
    code = 1
    try:
        # blocked, not ignored: a command terminated before it starts must still get the signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _adopt_orphans()
        channel, output, errors, folder, *namespaces = descriptors
        call = _Call(socket.socket(fileno=channel), output, errors, folder, *namespaces)
        try:
            call.watch()
        finally:
            call.kill()
        code = 0
    finally:
        os._exit(code)


class _Supervisor:
    """Forks a keeper for each call, until MaxAgent is gone."""

    def __init__(self, control: socket.socket) -> None:
        self._control, self._wake = control, _open_wakeup_pipe()
        self._keepers: set[int] = set()

    def serve(self) -> None:
        """Accept calls until the control socket closes."""
        while True:
            ready, _, _ = select.select([self._control, self._wake], [], [])
            if self._wake in ready:
                _drain_pipe(self._wake)
                self._reap_keepers()
            if self._control in ready:
                call, descriptors, _, _ = socket.recv_fds(self._control, 1, _MAX_DESCRIPTORS)
                if not call:
                    return
                if call == b"G":
                    _guards()  # once, for all keepers
                self._fork_keeper(descriptors)

    def _fork_keeper(self, descriptors: list[int]) -> None:
        keeper = os.fork()
        if keeper == 0:
            self._control.close()
            _run_keeper(descriptors)
        self._keepers.add(keeper)
        for descriptor in descriptors:
            os.close(descriptor)

    def _reap_keepers(self) -> None:
        """Reap ended keepers; kill the processes that a killed keeper has left."""
        for pid, status in _iter_ended():
            ended_well = pid in self._keepers and status == 0
            self._keepers.discard(pid)
            for stray in set[int]() if ended_well else _find_children() - self._keepers:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(stray, signal.SIGKILL)


def main() -> None:
    """Serve on the descriptor that the first argument names."""
    os.setsid()
    _adopt_orphans()
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _IGNORED)
    _Supervisor(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
