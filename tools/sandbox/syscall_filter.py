"""Linux: seccomp filters of the system calls that no command in the sandbox may make.

Mounts and namespaces do not block unix sockets: a listening socket can be reached by a name that
was moved, or that belongs to another network. So only a few socket families exist, and each way
around the filter is denied: other numbers for the same calls, calls through io_uring, tracing, and
new namespaces with all rights inside. No file gets a setuid or setgid bit, which would outlive the
sandbox. A second filter asks the guard of the project's steering files (`creation_guard.py`).
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
_KILL, _ERRNO, _ASK, _ALLOW = 0x80000000, 0x00050000, 0x7FC00000, 0x7FFF0000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _MASK, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000

_AF_UNIX, _SOCK_STREAM, _SOCK_SEQPACKET, _SOCK_TYPES = 1, 1, 5, 0xF
# AF_INET, AF_INET6, AF_NETLINK
_FAMILIES = (2, 10, 16)
_SETUID, _SETGID = 0o4000, 0o2000
# of linux/fcntl.h; O_TMPFILE without O_DIRECTORY
_CREATES = 0o100 | 0o20000000
# with O_WRONLY, O_RDWR and O_TRUNC
_WRITES = _CREATES | 0o3 | 0o1000
# NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of linux/sched.h; to clone, NEWTIME is a
# signal number
_NAMESPACES, _NEWTIME = 0x7E020000, 0x80


@dataclass(frozen=True)
class _Machine:
    architecture: int
    """The kernel's name of the native architecture; the 32-bit one has another name."""
    numbers: Mapping[str, int]


_SAME = {
    **{"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "clone3": 435},
    **{"openat2": 437, "fchmodat2": 452},
}
_X86 = {
    **{"socket": 41, "socketpair": 53, "clone": 56, "ptrace": 101, "unshare": 272, "setns": 308},
    **{"add_key": 248, "request_key": 249, "keyctl": 250, "open": 2, "creat": 85, "openat": 257},
    **{"mkdir": 83, "mkdirat": 258, "mknod": 133, "mknodat": 259, "link": 86, "linkat": 265},
    **{"symlink": 88, "symlinkat": 266, "rename": 82, "renameat": 264, "renameat2": 316},
    **{"chmod": 90, "fchmod": 91, "fchmodat": 268},
}
_ARM = {
    **{"socket": 198, "socketpair": 199, "clone": 220, "ptrace": 117, "unshare": 97, "setns": 268},
    **{"add_key": 217, "request_key": 218, "keyctl": 219, "openat": 56, "mkdirat": 34},
    **{"mknodat": 33, "linkat": 37, "symlinkat": 36, "renameat": 38, "renameat2": 276},
    **{"fchmod": 52, "fchmodat": 53},
}
_MACHINES = {
    "x86_64": _Machine(0xC000003E, {**_X86, **_SAME}),
    "aarch64": _Machine(0xC00000B7, {**_ARM, **_SAME}),
}
# the argument with the flags of a call that opens a file; its mode follows
_FLAGS = {"open": 1, "openat": 2}
# the argument with the mode
_MODES = {"creat": 1, "mknod": 1, "mknodat": 2}
_CHANGED_MODES = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2}
# calls that create a name
_NAMES = (
    *("creat", "mkdir", "mkdirat", "mknod", "mknodat", "link", "linkat", "symlink", "symlinkat"),
    *("rename", "renameat", "renameat2"),
)

Instruction = tuple[int, int, int, int]


def find_filter_problem() -> str:
    """Explain why this machine has no filter; empty if it has one."""
    machine = os.uname().machine
    return (
        "" if machine in _MACHINES else text("no system call filter for {machine}", machine=machine)
    )


def write_filter(folder: Path, *, unix_sockets: bool, guarded: bool = False) -> Path:
    """Write the filter for bubblewrap to a folder that no command can write to; return its path."""
    data = build_filter(os.uname().machine, unix_sockets=unix_sockets, guarded=guarded)
    name = f"filter-{'with' if unix_sockets else 'without'}-unix-sockets"
    path = folder / f"{name}{'-guarded' if guarded else ''}.bpf"
    if not path.exists() or path.read_bytes() != data:
        make_private_folder(folder)
        replace_file(path, data, 0o600)
    return path


def build_filter(machine: str, *, unix_sockets: bool, guarded: bool = False) -> bytes:
    """Build the filter in the kernel's format.

    `guarded`: the guard decides which modes may have a setgid bit: those of folders.
    """
    bodies = {
        **_build_bodies(),
        **_build_mode_bodies(_SETUID if guarded else _SETUID | _SETGID),
        **_build_socket_bodies(unix_sockets),
    }
    return _pack(_iter_instructions(_MACHINES[machine], bodies, other=_KILL))


def build_guard_filter(machine: str) -> tuple[bytes, dict[str, int]]:
    """Build the filter that asks the guard; also return the numbers of the calls in question."""
    ask: Instruction = (_RETURN, 0, 0, _ASK)
    asked: dict[str, list[Instruction]] = {name: [ask] for name in _NAMES}
    asked |= {name: _find_bits(at, _WRITES, ask) for name, at in _FLAGS.items()}
    asked |= {name: _find_bits(at, _SETGID, ask) for name, at in _CHANGED_MODES.items()}
    known = _MACHINES[machine]
    bodies = {name: body for name, body in asked.items() if name in known.numbers}
    numbers = {name: known.numbers[name] for name in bodies}
    return _pack(_iter_instructions(known, bodies, other=_ALLOW)), numbers


def _pack(instructions: Iterator[Instruction]) -> bytes:
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in instructions)


def _iter_instructions(
    machine: _Machine, bodies: Mapping[str, list[Instruction]], *, other: int
) -> Iterator[Instruction]:
    """Yield the whole filter; `other` is the answer for programs of other architectures."""
    yield _load_word(_ARCHITECTURE)
    yield from ((_EQUAL, 1, 0, machine.architecture), (_RETURN, 0, 0, other))
    yield _load_word(_NUMBER)
    if other == _KILL:
        # x32 numbers equal those of x86_64; other machines have no such numbers
        yield from ((_AT_LEAST, 0, 1, _X32), _return_error(errno.ENOSYS))
    for name, body in bodies.items():
        if name in machine.numbers:
            yield (_EQUAL, 0, len(body), machine.numbers[name])
            yield from body
    yield _allow()


def _find_bits(argument: int, bits: int, then: Instruction) -> list[Instruction]:
    return [_load_word(_ARGUMENTS + 8 * argument), (_ANY_BIT, 0, 1, bits), then, _allow()]


def _build_mode_bodies(bits: int) -> dict[str, list[Instruction]]:
    """Deny modes with these bits to files, which would keep them after the command."""
    deny = _return_error(errno.EPERM)
    changed = {name: _find_bits(at, bits, deny) for name, at in _CHANGED_MODES.items()}
    made = {name: _find_bits(at, _SETUID | _SETGID, deny) for name, at in _MODES.items()}
    opened = {
        # without these flags there is no mode, but anything in its place
        name: [
            _load_word(_ARGUMENTS + 8 * at),
            (_ANY_BIT, 1, 0, _CREATES),
            _allow(),
            *_find_bits(at + 1, _SETUID | _SETGID, deny),
        ]
        for name, at in _FLAGS.items()
    }
    return {**changed, **made, **opened}


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
        # the keys in the kernel are the user's
        **{name: [_return_error(errno.ENOSYS)] for name in ("add_key", "request_key", "keyctl")},
        "openat2": [_return_error(errno.ENOSYS)],  # its flags are in memory, too
        "io_uring_setup": [_return_error(errno.ENOSYS)],
        "io_uring_enter": [_return_error(errno.ENOSYS)],
        "io_uring_register": [_return_error(errno.ENOSYS)],
    }


def _build_socket_bodies(unix_sockets: bool) -> dict[str, list[Instruction]]:
    families = (*_FAMILIES, *((_AF_UNIX,) if unix_sockets else ()))
    count, deny = len(families), _return_error(errno.EAFNOSUPPORT)
    # one of a pair of datagram sockets can send to any name, one of a pair of stream sockets cannot
    types = [
        _load_word(_ARGUMENTS + 8),
        (_MASK, 0, 0, _SOCK_TYPES),
        (_EQUAL, 2, 0, _SOCK_STREAM),
        (_EQUAL, 1, 0, _SOCK_SEQPACKET),
        deny,
    ]
    return {
        "socket": [
            _load_word(_ARGUMENTS),
            *((_EQUAL, count - at, 0, family) for at, family in enumerate(families)),
            deny,
            _allow(),
        ],
        "socketpair": [
            _load_word(_ARGUMENTS),
            (_EQUAL, 1, 0, _AF_UNIX),
            deny,
            *(() if unix_sockets else types),
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
