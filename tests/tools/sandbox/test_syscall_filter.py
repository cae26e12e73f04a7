"""The filter: decided by a small reader of its language, and tried in the sandbox itself."""

import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confinement import needs_bubblewrap

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.process.launcher import capture_output
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.sandbox.syscall_filter import build_filter, build_guard_filter, write_filter
from maxagent.tools.workspace import Workspace

X86, ARM, I386, ARM32 = 0xC000003E, 0xC00000B7, 0x40000003, 0x40000028
KILL, ALLOW, ASK = 0x80000000, 0x7FFF0000, 0x7FC00000
NO_RIGHT, NO_CALL, NO_FAMILY = 0x50001, 0x50026, 0x50061
NEW_USER, NEW_TIME, THREAD = 0x10000000, 0x80, 0x3D0F00


def decide(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel makes of one system call."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    at, held = 0, 0
    while True:
        code, yes, no, value = struct.unpack_from("<HBBI", program, at * 8)
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            held = struct.unpack_from("<I", data, value)[0]
        elif code == 0x54:
            held &= value
        else:
            held_so = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            at += yes if held_so else no


@pytest.mark.parametrize(
    ("number", "arguments", "answer"),
    [
        ((41, 198), (1, 1), NO_FAMILY),
        ((41, 198), (1, 0x80802), NO_FAMILY),
        ((41, 198), (2, 1), ALLOW),
        ((41, 198), (10, 2), ALLOW),
        ((41, 198), (16, 3), ALLOW),
        ((53, 199), (1, 1), ALLOW),
        ((53, 199), (1, 0x80801), ALLOW),
        ((53, 199), (1, 5), ALLOW),
        ((53, 199), (1, 2), NO_FAMILY),
        ((53, 199), (1, 0x80003), NO_FAMILY),
        ((56, 220), (17,), ALLOW),
        ((56, 220), (THREAD,), ALLOW),
        ((56, 220), (17 | NEW_USER,), NO_RIGHT),
        ((272, 97), (0x400,), ALLOW),
        ((272, 97), (NEW_USER,), NO_RIGHT),
        ((272, 97), (NEW_TIME,), NO_RIGHT),
        ((308, 268), (3, 0), NO_RIGHT),
        ((435, 435), (0,), NO_CALL),
        ((425, 425), (0,), NO_CALL),
        ((426, 426), (0,), NO_CALL),
        ((427, 427), (0,), NO_CALL),
        ((101, 117), (0,), NO_RIGHT),
        ((0x40000000 + 41, 0x40000000 + 198), (2,), NO_CALL),
        ((248, 217), (0,), NO_CALL),
        ((250, 219), (0,), NO_CALL),
        ((437, 437), (0,), NO_CALL),
        ((91, 52), (3, 0o755), ALLOW),
        ((91, 52), (3, 0o4755), NO_RIGHT),
        ((268, 53), (3, 0, 0o4755), NO_RIGHT),
        ((268, 53), (3, 0, 0o2755), NO_RIGHT),
        ((452, 452), (3, 0, 0o6755), NO_RIGHT),
        ((257, 56), (3, 0, 0o101, 0o644), ALLOW),
        ((257, 56), (3, 0, 0o101, 0o4755), NO_RIGHT),
        ((257, 56), (3, 0, 0o20200001, 0o2755), NO_RIGHT),
        ((257, 56), (3, 0, 0, 0o4755), ALLOW),
        ((259, 33), (3, 0, 0o104755), NO_RIGHT),
        ((0, 63), (1,), ALLOW),
        ((0xFFFFFFFF, 0xFFFFFFFF), (), NO_CALL),
    ],
)
def test_each_call_gets_its_answer(
    number: tuple[int, int], arguments: tuple[int, ...], answer: int
) -> None:
    for machine, name, own in [("x86_64", X86, number[0]), ("aarch64", ARM, number[1])]:
        assert decide(build_filter(machine, unix_sockets=False), name, own, *arguments) == answer
        opened = ALLOW if answer == NO_FAMILY else answer
        assert decide(build_filter(machine, unix_sockets=True), name, own, *arguments) == opened


FAMILIES = range(46)  # AF_MAX of Linux 6


def test_only_three_socket_families_exist() -> None:
    for machine, name, number, pair in [("x86_64", X86, 41, 53), ("aarch64", ARM, 198, 199)]:
        for opened in (False, True):
            program = build_filter(machine, unix_sockets=opened)
            made = {
                family for family in FAMILIES if decide(program, name, number, family, 1) == ALLOW
            }
            assert made == {2, 10, 16} | ({1} if opened else set())
            assert [
                family for family in FAMILIES if decide(program, name, pair, family, 1) == ALLOW
            ] == [1]


@pytest.mark.parametrize(
    ("number", "arguments", "asks"),
    [
        ((257, 56), (3, 0, 0), False),
        ((257, 56), (3, 0, 0o2000000), False),
        ((257, 56), (3, 0, 0o1), True),
        ((257, 56), (3, 0, 0o2), True),
        ((257, 56), (3, 0, 0o100), True),
        ((257, 56), (3, 0, 0o1000), True),
        ((258, 34), (3, 0, 0o755), True),
        ((316, 276), (3, 0, 3, 0), True),
        ((266, 36), (0, 3, 0), True),
        ((268, 53), (3, 0, 0o755), False),
        ((268, 53), (3, 0, 0o2755), True),
        ((87, 35), (3, 0), False),
        ((0, 63), (1,), False),
    ],
)
def test_guard_is_asked_about_new_names_and_writes(
    number: tuple[int, int], arguments: tuple[int, ...], asks: bool
) -> None:
    for machine, name, other, own in [
        ("x86_64", X86, I386, number[0]),
        ("aarch64", ARM, ARM32, number[1]),
    ]:
        program, numbers = build_guard_filter(machine)
        assert decide(program, name, own, *arguments) == (ASK if asks else ALLOW)
        assert not asks or own in numbers.values()
        assert decide(program, other, own, *arguments) == ALLOW  # the other filter kills it


@pytest.mark.parametrize("unix_sockets", [True, False])
def test_calls_of_other_machines_end_the_process(unix_sockets: bool) -> None:
    for machine, others in [("x86_64", (I386, ARM)), ("aarch64", (ARM32, X86))]:
        program = build_filter(machine, unix_sockets=unix_sockets)
        assert [decide(program, other, 20) for other in others] == [KILL, KILL]


def test_damaged_file_is_written_again(tmp_path: Path) -> None:
    path = write_filter(tmp_path / "new", unix_sockets=False)
    content = path.read_bytes()
    path.write_bytes(content[:8])
    assert write_filter(tmp_path / "new", unix_sockets=False).read_bytes() == content
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.fixture(params=["deny", "allow"])
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sandbox]:
    (tmp_path / "project").mkdir()
    section = SandboxSection(unix_sockets=request.param)
    yield open_sandbox(section, Workspace(tmp_path / "project"), tmp_path / "home")


PAIR = "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'"
POOL = "m.get_context('fork').Pool(2).map(abs, [-1])"
NET = "s = socket.create_server(('localhost', 0)); socket.create_connection(s.getsockname())"
SOCKET = "socket.socket(socket.AF_UNIX)"
MANAGER = "m.Manager().dict()"
SERVER = "p = m.get_context('forkserver').Process(target=print); p.start(); p.join()"
NAMES = "subprocess.run(['unshare', '-r', 'true'], check=True)"
TRACE = "assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0"


@needs_bubblewrap
@pytest.mark.parametrize(
    ("line", "runs"),
    [
        (PAIR, ("deny", "allow")),
        (POOL, ("deny", "allow")),
        (NET, ("deny", "allow")),
        (SOCKET, ("allow",)),
        (MANAGER, ("allow",)),
        (SERVER, ("allow",)),
        (NAMES, ()),
        (TRACE, ()),
    ],
)
async def test_programs_run_or_are_refused(
    sandbox: Sandbox, line: str, runs: tuple[str, ...]
) -> None:
    root = sandbox.workspace.root
    imports = "import ctypes, multiprocessing as m, socket, subprocess"
    (root / "x.py").write_text(f"{imports}\nif __name__ == '__main__':\n    {line}\n")
    async with sandbox.wrap([sys.executable, "x.py"], root) as line:
        done = await capture_output(line.argv, cwd=root, timeout=60, guard=line.guard)
    allowed = "allow" if sandbox.unix_sockets else "deny"
    assert (done.exit_code == 0) == (allowed in runs), done.stderr.decode()
    assert os.listdir(root) == ["x.py"]
