"""Linux: a seccomp filter of the system calls that no command in the sandbox may make.

Mounts and namespaces do not block unix sockets: a listening socket can be reached by a name that
was moved, or that belongs to another network. So sockets themselves are denied, and with them each
way around the filter: other numbers for the same calls, calls through io_uring, tracing, and new
namespaces with all rights inside.
"""

import errno
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...config.security.private_files import make_private_folder, replace_file
from ...config.text import text

# from linux/seccomp.h, linux/audit.h and linux/filter.h
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _MASK, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000

_AF_UNIX, _SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_TYPES = 1, 1, 5, 0xF
# NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of linux/sched.h; to clone, NEWTIME is a
# signal number
_NAMESPACES, _NEWTIME = 0x7E020000, 0x80


@dataclass(frozen=True)
class _Machine:
    architecture: int
    """The kernel's name of the native architecture; the 32-bit one has another name."""
    numbers: Mapping[str, int]


_SAME = {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "clone3": 435}
_X86 = {"socket": 41, "socketpair": 53, "clone": 56, "ptrace": 101, "unshare": 272, "setns": 308}
_ARM = {"socket": 198, "socketpair": 199, "clone": 220, "ptrace": 117, "unshare": 97, "setns": 268}
_MACHINES = {
    "x86_64": _Machine(0xC000003E, {**_X86, **_SAME}),
    "aarch64": _Machine(0xC00000B7, {**_ARM, **_SAME}),
}

Instruction = tuple[int, int, int, int]


def find_filter_problem() -> str:
    """Explain why this machine has no filter; empty if it has one."""
    machine = os.uname().machine
    return (
        "" if machine in _MACHINES else text("no system call filter for {machine}", machine=machine)
    )


def write_filter(folder: Path, *, unix_sockets: bool) -> Path:
    """Write the filter for bubblewrap to a folder that no command can write to; return its path."""
    data = build_filter(os.uname().machine, unix_sockets=unix_sockets)
    path = folder / f"filter-{'with' if unix_sockets else 'without'}-unix-sockets.bpf"
    if not path.exists() or path.read_bytes() != data:
        make_private_folder(folder)
        replace_file(path, data, 0o600)
    return path


def build_filter(machine: str, *, unix_sockets: bool) -> bytes:
    """Build the filter in the kernel's format."""
    instructions = _iter_instructions(_MACHINES[machine], unix_sockets=unix_sockets)
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in instructions)


def _iter_instructions(machine: _Machine, *, unix_sockets: bool) -> Iterator[Instruction]:
    yield _load_word(_ARCHITECTURE)
    yield from ((_EQUAL, 1, 0, machine.architecture), (_RETURN, 0, 0, _KILL))
    yield _load_word(_NUMBER)
    # x32 numbers equal those of x86_64; other machines have no such numbers
    yield from ((_AT_LEAST, 0, 1, _X32), _return_error(errno.ENOSYS))
    bodies = _build_bodies() if unix_sockets else {**_build_bodies(), **_build_socket_bodies()}
    for name, body in bodies.items():
        yield (_EQUAL, 0, len(body), machine.numbers[name])
        yield from body
    yield _allow()


def _build_bodies() -> dict[str, list[Instruction]]:
    """Return the instructions for each system call by name; each sequence ends the filter."""
    namespaces = [(_ANY_BIT, 0, 1, _NAMESPACES), _return_error(errno.EPERM), _allow()]
    with_time = [(_ANY_BIT, 0, 1, _NAMESPACES | _NEWTIME), _return_error(errno.EPERM), _allow()]
    return {
        "clone": [_load_word(_ARGUMENTS), *namespaces],
        "clone3": [
            _return_error(errno.ENOSYS)
        ],  # its flags are in memory; libc falls back to `clone`
        "unshare": [_load_word(_ARGUMENTS), *with_time],
        "setns": [_return_error(errno.EPERM)],
        "ptrace": [_return_error(errno.EPERM)],
        "io_uring_setup": [_return_error(errno.ENOSYS)],
        "io_uring_enter": [_return_error(errno.ENOSYS)],
        "io_uring_register": [_return_error(errno.ENOSYS)],
    }


def _build_socket_bodies() -> dict[str, list[Instruction]]:
    # one of a pair of datagram sockets can send to any name, one of a pair of stream sockets cannot
    return {
        "socket": [
            _load_word(_ARGUMENTS),
            (_EQUAL, 0, 1, _AF_UNIX),
            _return_error(errno.EAFNOSUPPORT),
            _allow(),
        ],
        "socketpair": [
            _load_word(_ARGUMENTS + 8),
            (_MASK, 0, 0, _SOCK_TYPES),
            (_EQUAL, 2, 0, _SOCK_STREAM),
            (_EQUAL, 1, 0, _SOCK_SEQPACKET),
            _return_error(errno.EAFNOSUPPORT),
            _allow(),
        ],
    }


def _load_word(offset: int) -> Instruction:
    """Load a word of `struct seccomp_data`; for an argument its lower half."""
    return (_LOAD, 0, 0, offset)


def _return_error(number: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | number)


def _allow() -> Instruction:
    return (_RETURN, 0, 0, _ALLOW)
