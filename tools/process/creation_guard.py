"""Refuses to create or write named files: the supervisor's end of a seccomp listener.

The kernel stops each call of a command that creates a name or opens a file for writing, and asks
the keeper. A call on a steering file fails as on a read-only file system; all others go on. So
nothing stands in the project for files that are missing. Only the standard library: the supervisor
loads this file by its path.

A thread that changes a path while the kernel reads it can get past this, so what matters most and
exists is a read-only mount, too.
"""

import ctypes
import errno
import fcntl
import os
import re
import select
import socket
import stat
import struct
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import Any, NamedTuple

# prctl(2), seccomp(2) and linux/seccomp.h
_NO_NEW_PRIVILEGES = 38
_SET_FILTER, _LISTEN, _WAIT_KILLABLE = 1, 1 << 3, 1 << 5
_RECEIVE, _SEND, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
# from Linux 6.6 on: keeper and caller take turns on one processor
_SET_FLAGS = 0x40082104
_CONTINUE = 1
_NOTICE, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
# openat2(2), by the same number on every architecture
_OPENAT2, _IN_ROOT, _NO_LINKS = 437, 0x10, 0x04
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_HERE = -100
_MAX_PATH, _MAX_LINKS = 4096, 40
_PAGE = 4096
_OPENED_FILES = re.compile(r"/proc/(self|thread-self)/fd")
_DELETED = " (deleted)"


class _Call(NamedTuple):
    """A system call: what it does, and which arguments are its paths, each after its folder."""

    kind: str
    paths: tuple[tuple[int | None, int], ...]
    mode: int = 0
    """The argument with the mode or the flags."""


# name of the call: see `syscall_filter.py`
CALLS: Mapping[str, _Call] = {
    "open": _Call("open", ((None, 0),), 1),
    "creat": _Call("open", ((None, 0),), -1),
    "openat": _Call("open", ((0, 1),), 2),
    "mkdir": _Call("create", ((None, 0),)),
    "mkdirat": _Call("create", ((0, 1),)),
    "mknod": _Call("create", ((None, 0),)),
    "mknodat": _Call("create", ((0, 1),)),
    "symlink": _Call("move", ((None, 1),)),
    "symlinkat": _Call("move", ((1, 2),)),
    "link": _Call("move", ((None, 0), (None, 1))),
    "linkat": _Call("move", ((0, 1), (2, 3))),
    "rename": _Call("move", ((None, 1),)),
    "renameat": _Call("move", ((2, 3),)),
    "renameat2": _Call("move", ((2, 3),)),
    "chmod": _Call("mode", ((None, 0),), 1),
    "fchmodat": _Call("mode", ((0, 1),), 2),
    "fchmodat2": _Call("mode", ((0, 1),), 2),
    "fchmod": _Call("mode", ((0, -1),), 1),
}


class _UnprovenError(Exception):
    """The path cannot be followed safely."""


def install_filter(program: bytes, keeper: socket.socket) -> None:
    """Install the filter in this process and send its listener; raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(program)
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    number = _SECCOMP.get(os.uname().machine, -1)
    listener = -1
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
        for flags in (_LISTEN | _WAIT_KILLABLE, _LISTEN):  # the first one from Linux 5.19 on
            listener = library.syscall(number, _SET_FILTER, flags, head)
            if listener >= 0:
                break
    if listener < 0:
        raise OSError(ctypes.get_errno(), "cannot guard the project's steering files")
    socket.send_fds(keeper, [b"+"], [listener])
    os.close(listener)


class CreationGuard:
    """Answers the kernel's questions about one command."""

    def __init__(self, keeper: socket.socket, rules: Mapping[str, Any]) -> None:
        """Take the listener that `install_filter` sends; none if it failed."""
        _, descriptors, _, _ = socket.recv_fds(keeper, 1, 1)
        self.descriptors = descriptors
        """The listener, until the last process is gone."""
        with suppress(OSError, IndexError):
            fcntl.ioctl(descriptors[0], _SET_FLAGS, 1)
        self._calls = {number: CALLS[name] for name, number in rules["calls"].items()}
        self._root: str = rules["root"]
        self._names = frozenset[str](rules["names"])
        self._places = frozenset[str](rules["places"])
        self._approved = frozenset[str](rules["approved"])
        self._inside = {name: re.compile(part) for name, part in rules["inside"].items()}
        parts = [part.pattern for part in self._inside.values()]
        self._parts = re.compile("|".join(f"(?:{part})" for part in parts))
        self._place_names = {os.path.basename(place) for place in self._places}
        self._is_deep: bool = rules["is_deep"]
        """Whether files with any name are refused in some folder."""
        self._kernel = _Kernel()
        self._began = False

    def answer(self) -> None:
        """Answer one question."""
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(self.descriptors[0], _RECEIVE, notice)
        except OSError:  # the caller was killed meanwhile, or there is none any more
            self._close_if_done()
            return
        identity, pid, _, number, _, _, *arguments = _NOTICE.unpack(notice)
        try:
            value, error, flags = self._decide(pid, self._calls[number], arguments, identity)
        except _UnprovenError:
            value, error, flags = 0, errno.EROFS, 0
        except OSError as problem:
            value, error, flags = self._answer_problem(problem)
        with suppress(OSError):
            answer = bytearray(_ANSWER.pack(identity, value, -error, flags))
            fcntl.ioctl(self.descriptors[0], _SEND, answer)

    def _close_if_done(self) -> None:
        poll = select.poll()
        poll.register(self.descriptors[0], 0)
        if poll.poll(0):
            os.close(self.descriptors.pop())

    def _answer_problem(self, problem: OSError) -> tuple[int, int, int]:
        # an ordinary user cannot read bubblewrap's memory, but that of each program inside
        if not self._began and problem.errno in (errno.EACCES, errno.EPERM):
            return 0, 0, _CONTINUE
        return 0, problem.errno or errno.EROFS, 0

    def _decide(
        self, pid: int, call: _Call, arguments: Sequence[int], identity: int
    ) -> tuple[int, int, int]:
        with closing(_Caller(pid, self._kernel)) as caller:
            paths = [
                (_HERE if at is None else _to_signed(arguments[at]), caller.read(arguments, path))
                for at, path in call.paths
            ]
            self._began = True
            if call.kind == "mode":
                return self._set_mode(caller, *paths[0], arguments[call.mode], identity)
            flags = arguments[call.mode] if call.kind == "open" and call.mode >= 0 else 0
            if any(self._is_refused(caller, call.kind, *path, flags) for path in paths):
                return 0, errno.EROFS, 0
        return 0, 0, _CONTINUE

    def _is_refused(self, caller: "_Caller", kind: str, folder: int, path: str, flags: int) -> bool:
        for _ in range(_MAX_LINKS):
            head, _, name = path.rstrip("/").rpartition("/")
            follows = kind == "open" and not flags & os.O_NOFOLLOW
            if not self._may_steer(name, kind) and not (follows and caller.has_link(folder, path)):
                return False
            parent = caller.resolve(folder, f"{head}/" if path.startswith("/") else head or ".")
            if parent is None:  # there is no such folder
                return False
            if self._steers(parent, name, kind):
                return True
            if not follows:
                return False
            is_opened = _OPENED_FILES.fullmatch(parent) is not None
            target = caller.read_opened(name) if is_opened else caller.read_link(parent, name)
            if target is None:
                return False
            if is_opened:
                return target.startswith("/") and self._steers(*os.path.split(target), kind)
            folder, path = _HERE, os.path.join(parent, target)
        return True

    def _may_steer(self, name: str, kind: str) -> bool:
        """Return whether the name could be refused in some folder."""
        lower = name.lower()
        return (
            self._is_deep
            or self._is_name(lower)
            or name in self._place_names
            or self._parts.fullmatch(lower) is not None
            or (kind == "move" and lower in self._inside)
        )

    def _steers(self, parent: str, name: str, kind: str) -> bool:
        path, lower = os.path.join(parent, name), name.lower()
        if path in self._approved:
            return False
        if path in self._places:
            return True
        if parent == self._root:
            return self._is_name(lower) or (kind == "move" and lower in self._inside)
        if not parent.startswith(self._root + "/"):
            return False
        first, second = path[len(self._root) + 1 :].split("/", 2)[:2]
        part = self._inside.get(first.lower())
        return part is not None and part.fullmatch(second.lower()) is not None

    def _is_name(self, lower: str) -> bool:
        return lower in self._names or lower.endswith(".code-workspace")

    def _set_mode(
        self, caller: "_Caller", folder: int, path: str, mode: int, identity: int
    ) -> tuple[int, int, int]:
        """Set the mode of a folder, which may have a setgid bit; a file may not."""
        target = caller.open(folder, path)
        try:
            if not stat.S_ISDIR(os.fstat(target).st_mode):
                return 0, errno.EPERM, 0
            fcntl.ioctl(self.descriptors[0], _IS_VALID, struct.pack("=Q", identity))
            os.chmod(f"/proc/self/fd/{target}", stat.S_IMODE(mode))
        except OSError as error:
            return 0, error.errno or errno.EPERM, 0
        finally:
            os.close(target)
        return 0, 0, 0


class _Kernel:
    """System calls that Python lacks."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        self._call, self._read = library.syscall, library.process_vm_readv
        number = ctypes.c_ulong
        self._read.argtypes = [
            *(ctypes.c_int, ctypes.c_char_p, number, ctypes.c_char_p, number, number)
        ]
        self._read.restype = ctypes.c_ssize_t
        self._buffer = ctypes.create_string_buffer(_PAGE)

    def read_memory(self, pid: int, address: int) -> bytes:
        """Read a string of a process."""
        data = b""
        while len(data) < _MAX_PATH:
            size = _PAGE - address % _PAGE
            ours = struct.pack("@PN", ctypes.addressof(self._buffer), size)
            theirs = struct.pack("@PN", address, size)
            size = self._read(pid, ours, 1, theirs, 1, 0)
            if size <= 0:
                raise _get_error()
            piece, end, _ = self._buffer.raw[:size].partition(b"\0")
            data += piece
            if end:
                return data
            address += size
        raise OSError(errno.ENAMETOOLONG, "the path is too long")

    def open(self, folder: int, path: str, flags: int, how: int) -> int:
        """Open a path, by `openat2`."""
        flags |= os.O_PATH | os.O_CLOEXEC
        request = struct.pack("=QQQ", flags, 0, how)
        opened: int = self._call(_OPENAT2, folder, os.fsencode(path), request, len(request))
        if opened < 0:
            raise _get_error()
        return opened


def _get_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


class _Caller:
    """The process that made a call: its memory and its folders."""

    def __init__(self, pid: int, kernel: _Kernel) -> None:
        self._kernel, self._pid, self._proc = kernel, pid, f"/proc/{pid}"
        self._root = -1

    def close(self) -> None:
        """Close what was opened."""
        if self._root >= 0:
            os.close(self._root)

    def read(self, arguments: Sequence[int], at: int) -> str:
        """Read a path; none is the descriptor itself."""
        return os.fsdecode(self._kernel.read_memory(self._pid, arguments[at])) if at >= 0 else ""

    def has_link(self, folder: int, path: str) -> bool:
        """Return whether a link is followed on the way to an opened file."""
        if "/" not in path:
            return os.path.islink(f"{self._find_start(folder, path)}/{path}")
        try:
            start = os.open(self._find_start(folder, path), os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return True
        try:
            os.close(self._kernel.open(start, path.lstrip("/"), 0, _NO_LINKS))
        except OSError as error:
            return error.errno not in (errno.ENOENT, errno.ENOTDIR)
        finally:
            os.close(start)
        return False

    def resolve(self, folder: int, path: str) -> str | None:
        """Return the real path of a folder, as the process sees it; None if there is none."""
        if not path.startswith("/"):
            path = self._make_absolute(folder, path)
        try:
            descriptor = self.open(folder, path, os.O_DIRECTORY)
        except FileNotFoundError:
            return self._walk(path)
        except NotADirectoryError:
            return None
        try:
            return os.readlink(f"/proc/self/fd/{descriptor}")
        finally:
            os.close(descriptor)

    def _walk(self, path: str) -> str | None:
        """Follow a path step by step: the process itself is missing in /proc for the keeper."""
        real, left = "/", path.split("/")[::-1]
        for _ in range(_MAX_PATH):
            if real == "/proc" and left and left[-1] in ("self", "thread-self"):
                opened = "/".join([real, *left[::-1]]).rstrip("/.")
                if _OPENED_FILES.fullmatch(opened):
                    return opened
                raise _UnprovenError
            if not left:
                raise _UnprovenError  # it has come into being meanwhile
            name = left.pop()
            if name == "..":
                real = os.path.dirname(real)
            elif name not in ("", "."):
                target = self.read_link(real, name, missing="")
                if target == "":
                    return None
                if target is None:
                    real = os.path.join(real, name)
                    continue
                left += target.split("/")[::-1]
                real = "/" if target.startswith("/") else real
        raise _UnprovenError

    def read_opened(self, name: str) -> str | None:
        """Return the path of a file that the process has opened; None if there is none."""
        with suppress(OSError):
            return os.readlink(f"{self._proc}/fd/{name}")
        return None

    def read_link(self, parent: str, name: str, missing: str | None = None) -> str | None:
        """Return the target of a link; None if it is no link, `missing` if there is nothing."""
        try:
            descriptor = self.open(_HERE, f"{parent}/{name}", os.O_NOFOLLOW)
        except (FileNotFoundError, NotADirectoryError):
            return missing
        try:
            with suppress(OSError):
                return os.readlink("", dir_fd=descriptor)
            return None
        finally:
            os.close(descriptor)

    def open(self, folder: int, path: str, flags: int = 0) -> int:
        """Open a path in the root of the process, without following links of /proc."""
        if not path:
            return os.open(f"{self._proc}/fd/{folder}", os.O_PATH | os.O_CLOEXEC)
        if self._root < 0:
            self._root = os.open(f"{self._proc}/root", os.O_PATH | os.O_CLOEXEC)
        if not path.startswith("/"):
            path = self._make_absolute(folder, path)
        try:
            return self._kernel.open(self._root, path, flags, _IN_ROOT)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EXDEV, errno.EAGAIN, errno.ENOSYS):
                raise _UnprovenError from error
            raise

    def _make_absolute(self, folder: int, path: str) -> str:
        start = os.readlink(self._find_start(folder, path)).removesuffix(_DELETED)
        return f"{start}/{path}"

    def _find_start(self, folder: int, path: str) -> str:
        if path.startswith("/"):
            return f"{self._proc}/root"
        return f"{self._proc}/cwd" if folder == _HERE else f"{self._proc}/fd/{folder}"


def _to_signed(argument: int) -> int:
    low = argument & 0xFFFFFFFF
    return low - (1 << 32) if low >> 31 else low
