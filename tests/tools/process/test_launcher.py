import asyncio
import marshal
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from passing_time import pass_time

from maxagent.tools.process import launcher, supervisor
from maxagent.tools.process.launcher import (
    CapturedOutput,
    ProcessExit,
    capture_output,
    open_program,
    stream_output,
)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = stat_of(pid)
    return not stat or stat[0] != "Z"


def stat_of(pid: int | str) -> list[str]:
    """State, parent and more of a process; nothing where it has just gone, or without /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def all_gone(pids: list[int]) -> bool:
    """Whether all end soon; a busy machine may take its time."""
    end = time.monotonic() + 30
    while any(map(is_alive, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


async def shell(command: str, cwd: Path, timeout: float = 30) -> tuple[ProcessExit, bytes]:
    output = bytearray()
    ended = await stream_output(
        ["sh", "-c", command], cwd=cwd, timeout=timeout, on_output=output.extend
    )
    return ended, bytes(output)


async def out_of_time(
    command: str, cwd: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[ProcessExit, bytes]:
    """Run a command whose time is up once it has said something, whenever that is."""
    output = bytearray()

    def hear(piece: bytes) -> None:
        if not output:
            pass_time(monkeypatch, 60)
        output.extend(piece)

    ended = await stream_output(["sh", "-c", command], cwd=cwd, timeout=60, on_output=hear)
    return ended, bytes(output)


async def captured(command: str, cwd: Path, **options: object) -> CapturedOutput:
    return await capture_output(["sh", "-c", command], cwd=cwd, **{"timeout": 30, **options})


@pytest.mark.parametrize(
    ("command", "code"), [("true", 0), ("exit 7", 7), ("kill -9 $$", 137), ("no-such-program", 127)]
)
async def test_the_exit_code_is_as_shells_count(command: str, code: int, tmp_path: Path) -> None:
    ended, _ = await shell(command, tmp_path)
    assert (ended.exit_code, ended.timed_out) == (code, False)


async def test_missing_program_exits_with_127(tmp_path: Path) -> None:
    result = await capture_output(["no-such-program"], cwd=tmp_path, timeout=60)
    assert (result.exit_code, b"not found" in result.stderr) == (127, True)


async def test_a_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await capture_output(["true"], cwd=tmp_path / "missing", timeout=60)


async def test_output_and_errors_are_distinguished_when_captured(tmp_path: Path) -> None:
    result = await captured("echo out; echo err >&2; printf '\\377'", tmp_path)
    assert (result.stdout, result.stderr) == (b"out\n\xff", b"err\n")
    assert (result.text, result.cut) == ("out\n\ufffd", False)


async def test_output_and_errors_are_one_stream_in_order(tmp_path: Path) -> None:
    _, output = await shell("echo 1; echo 2 >&2; echo 3", tmp_path)
    assert output == b"1\n2\n3\n"


async def test_command_has_no_input_and_own_session(tmp_path: Path) -> None:
    _, output = await shell("cat; ps -o sid= -p $$ || echo $$; echo $$", tmp_path)
    session, pid = output.split()
    assert (session == pid, int(session) != os.getsid(0)) == (True, True)


async def test_arguments_arrive_as_they_are(tmp_path: Path) -> None:
    result = await capture_output(
        ["printf", "%s|", "a b", "$(id)", "", "é\n"], cwd=tmp_path, timeout=60
    )
    assert result.text == "a b|$(id)||é\n|"


async def test_the_environment_is_filtered_and_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    result = await captured("env", tmp_path, env={"GIT_PAGER": "cat"})
    assert ("GIT_PAGER=cat" in result.text, "OPENAI_API_KEY" in result.text) == (True, False)


async def test_captured_output_keeps_its_beginning(tmp_path: Path) -> None:
    result = await captured("printf 0123456789", tmp_path, limit=4)
    assert (result.stdout, result.cut) == (b"0123", True)


async def test_200_megabytes_of_output_do_not_grow_memory(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen, largest = 0, 0

    def count(piece: bytes) -> None:
        nonlocal seen, largest
        seen, largest = seen + len(piece), max(largest, len(piece))

    command = ["head", "-c", "200000000", "/dev/zero"]
    await stream_output(command, cwd=tmp_path, timeout=60, on_output=count)
    result = await capture_output(command, cwd=tmp_path, timeout=60, limit=1000)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (seen, largest <= 2**18, len(result.stdout)) == (200_000_000, True, 1000)
    assert grown < 50_000 * (1024 if sys.platform == "darwin" else 1)


async def test_a_time_out_ends_the_whole_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, output = await out_of_time("sleep 1000 & echo $! $$; wait", tmp_path, monkeypatch)
    pids = [int(pid) for pid in output.split()]
    assert (ended.timed_out, len(pids)) == (True, 2)
    assert all_gone(pids)


async def test_command_may_clean_up_after_term(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "trap 'echo tidy; exit 3' TERM; sleep 1000 & echo ready; wait"
    ended, output = await out_of_time(command, tmp_path, monkeypatch)
    assert (ended.exit_code, ended.timed_out, output) == (3, True, b"ready\ntidy\n")


SLOW = """if True:
    import os, runpy, signal, sys, time

    forks = []

    def wait_for_the_word():
        forks.append(os.getpid())  # the first is the keeper, the second is to be the command
        until = time.monotonic() + 5
        while len(forks) == 2 and not signal.sigpending() and time.monotonic() < until:
            time.sleep(0.01)

    os.register_at_fork(after_in_child=wait_for_the_word)
    runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""
"""A supervisor whose commands begin only when they were told to end, or after a while."""


def test_command_terminated_before_start_ends() -> None:
    control, its_control = socket.socketpair()
    channel, its_channel = socket.socketpair()
    with control, channel:
        with its_control, its_channel, open("/dev/null", "r+b") as nowhere:
            argv = [sys.executable, "-c", SLOW, supervisor.__file__, str(its_control.fileno())]
            process = subprocess.Popen(argv, pass_fds=[its_control.fileno()])
            folder = os.open("/", os.O_RDONLY)
            ends = [its_channel.fileno(), nowhere.fileno(), nowhere.fileno(), folder]
            socket.send_fds(control, [b"C"], ends)
            os.close(folder)
        request = marshal.dumps({"argv": ["sleep", "0"], "env": dict(os.environ)})
        channel.sendall(struct.pack("!I", len(request)) + request + b"T")
        assert channel.recv(100) == b"143\n"
    assert process.wait(30) == 0


async def test_command_that_ignores_term_gets_sigkill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "trap '' TERM; echo $$; while :; do sleep 0.05; done"
    ended, output = await out_of_time(command, tmp_path, monkeypatch)
    assert (ended.exit_code, ended.timed_out, ended.duration < 60) == (137, True, True)
    assert all_gone([int(output.split()[0])])  # the shell may tell of its `sleep`, too


async def test_descendant_holding_output_does_not_block_call(tmp_path: Path) -> None:
    ended, output = await shell("sleep 1000 & echo $!", tmp_path)
    assert (ended.exit_code, ended.timed_out, ended.duration < 10) == (0, False, True)
    assert all_gone([int(output)])


HIDING = [
    "setsid sleep 1000 & echo $!",
    "(setsid sleep 1000 & echo $!) & wait",
    "env -i setsid sh -c 'sleep 1000 & echo $!' & wait",
    "trap '' TERM HUP; nohup setsid sleep 1000 & echo $!",
]


@pytest.mark.parametrize("command", HIDING)
async def test_descendant_in_other_session_ends_with_call(command: str, tmp_path: Path) -> None:
    ended, output = await shell(command, tmp_path)
    pids = [int(pid) for pid in output.split()]
    assert (ended.exit_code, ended.duration < 10, len(pids)) == (0, True, 1)
    assert all_gone(pids)


async def test_a_command_starts_with_nothing_of_ours(tmp_path: Path) -> None:
    _, output = await shell(
        "ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status", tmp_path
    )
    descriptors, _, blocked, _, ignored = output.split()
    few = int(descriptors) == 4  # three, and the one that `ls` reads
    # 32 and 33 are the C library's own, which posix_spawn leaves ignored
    assert (few, int(blocked, 16), int(ignored, 16) & (1 << 31) - 1) == (True, 0, 0)


async def test_command_that_kills_its_keeper_dies_with_error(tmp_path: Path) -> None:
    command = "setsid sleep 1000 & echo $! $$; kill -9 $PPID; sleep 1000"
    output = bytearray()
    with pytest.raises(OSError, match="supervisor was killed"):
        await stream_output(
            ["sh", "-c", command], cwd=tmp_path, timeout=30, on_output=output.extend
        )
    assert all_gone([int(pid) for pid in output.split()])


async def test_a_supervisor_that_was_killed_is_started_anew(tmp_path: Path) -> None:
    _, output = await shell("ps -o ppid= -p $PPID", tmp_path)
    os.kill(int(output), signal.SIGKILL)
    assert all_gone([int(output)])
    assert (await shell("echo here", tmp_path))[1] == b"here\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_spares_supervisor_that_starts(number: signal.Signals) -> None:
    process, control = launcher._start_supervisor()  # pyright: ignore[reportPrivateUsage]
    os.kill(process, number)
    control.close()
    assert os.waitpid(process, 0)[1] == 0


async def test_cancelling_ends_the_whole_group(tmp_path: Path) -> None:
    output: asyncio.Queue[bytes] = asyncio.Queue()
    command = "trap '' TERM; sleep 1000 & echo $! $$; wait; sleep 1000"
    task = asyncio.create_task(
        stream_output(["sh", "-c", command], cwd=tmp_path, timeout=60, on_output=output.put_nowait)
    )
    pids = [int(pid) for pid in (await output.get()).split()]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all_gone(pids)


async def test_cancelling_twice_kills_at_once(tmp_path: Path) -> None:
    output: asyncio.Queue[bytes] = asyncio.Queue()
    command = "trap 'echo told' TERM; echo $$; while :; do sleep 0.05; done"
    task = asyncio.create_task(
        stream_output(["sh", "-c", command], cwd=tmp_path, timeout=60, on_output=output.put_nowait)
    )
    pid = int(await output.get())
    task.cancel()
    content = b""
    while b"told\n" not in content:  # the shell may tell of its sleep's end in a piece of its own
        content += await output.get()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all_gone([pid])


async def test_failing_sink_fails_call_after_command_ends(tmp_path: Path) -> None:
    def broken(piece: bytes) -> None:
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        await stream_output(["echo", "hi"], cwd=tmp_path, timeout=60, on_output=broken)


async def test_many_commands_at_once_keep_apart(tmp_path: Path) -> None:
    results = await asyncio.gather(*(shell(f"sleep 0.1; echo {n}", tmp_path) for n in range(20)))
    assert [int(output) for _, output in results] == list(range(20))


AGENT = """
import asyncio, sys
from pathlib import Path
from maxagent.tools.process.launcher import stream_output

def tell(piece):
    sys.stdout.write(piece.decode()); sys.stdout.flush()

command = ["sh", "-c", sys.argv[1]]
asyncio.run(stream_output(command, cwd=Path.cwd(), timeout=60, on_output=tell))
"""


@pytest.mark.parametrize(
    "command",
    [
        "echo $$; exec sleep 1000",
        "sleep 1000 & sleep 1001 & echo $! $$; wait",
        "trap '' TERM INT HUP; (trap '' TERM; sleep 1000) & echo $! $$; sleep 1000",
        "setsid sleep 1000 & echo $! $$; wait",
        "(env -i setsid sleep 1000 & echo $! $$) & sleep 1000",
    ],
)
def test_nothing_outlives_a_killed_agent(command: str, tmp_path: Path) -> None:
    agent = subprocess.Popen(
        [sys.executable, "-c", AGENT, command], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    with agent:
        assert agent.stdout
        pids = [int(pid) for pid in agent.stdout.readline().split()]
        assert pids and all(map(is_alive, pids))
        agent.kill()
        assert all_gone(pids)


def children() -> set[str]:
    return {
        name
        for name in filter(str.isdecimal, os.listdir("/proc"))
        if stat_of(name)[1:2] == [str(os.getpid())]
    }


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="lists processes by /proc")
async def test_only_the_supervisor_stays(tmp_path: Path) -> None:
    await shell("true", tmp_path)
    before = children()
    await shell("true", tmp_path)
    await shell("sleep 5", tmp_path, timeout=0.1)
    assert children() - before == set()


async def test_program_is_spoken_to_and_ends_with_input(tmp_path: Path) -> None:
    errors = bytearray()
    async with open_program(
        ["sh", "-c", "echo begun >&2; cat; exit 4"], cwd=tmp_path, on_error=errors.extend
    ) as program:
        program.input.write(b"hello\n")
        assert await program.output.readline() == b"hello\n"
        assert await program.wait_for_end(0) is None
        program.input.write_eof()
        assert await program.wait_for_end(30) == 4
    assert bytes(errors) == b"begun\n"


async def test_program_ends_with_its_descendants(tmp_path: Path) -> None:
    async with open_program(
        ["sh", "-c", "sleep 1000 & echo $!; cat"], cwd=tmp_path, on_error=lambda piece: None
    ) as program:
        descendant = int(await program.output.readline())
    assert all_gone([descendant])


async def test_program_in_no_folder_raises_oserror(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        async with open_program(["cat"], cwd=tmp_path / "none", on_error=lambda piece: None):
            pass
