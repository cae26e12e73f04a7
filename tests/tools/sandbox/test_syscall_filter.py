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
from maxagent.tools.sandbox.syscall_filter import build_filter, write_filter
from maxagent.tools.workspace import Workspace

X86, ARM, I386, ARM32 = 0xC000003E, 0xC00000B7, 0x40000003, 0x40000028
KILL, ALLOW, NO_RIGHT, NO_CALL, NO_FAMILY = 0x80000000, 0x7FFF0000, 0x50001, 0x50026, 0x50061
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


@pytest.mark.parametrize("unix_sockets", [True, False])
def test_calls_of_other_machines_end_the_process(unix_sockets: bool) -> None:
    for machine, others in [("x86_64", (I386, ARM)), ("aarch64", (ARM32, X86))]:
        program = build_filter(machine, unix_sockets=unix_sockets)
        assert [decide(program, other, 20) for other in others] == [KILL, KILL]


def test_damaged_file_is_written_again(tmp_path: Path) -> None:
    path = write_filter(tmp_path / "new", unix_sockets=False)
    whole = path.read_bytes()
    path.write_bytes(whole[:8])
    assert write_filter(tmp_path / "new", unix_sockets=False).read_bytes() == whole
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
    async with sandbox.wrap([sys.executable, "x.py"], root) as argv:
        done = await capture_output(argv, cwd=root, timeout=60)
    allowed = "allow" if sandbox.unix_sockets else "deny"
    assert (done.exit_code == 0) == (allowed in runs), done.stderr.decode()
    assert os.listdir(root) == ["x.py"]
