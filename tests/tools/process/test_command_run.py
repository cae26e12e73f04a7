import asyncio
from pathlib import Path

from maxagent.tools.process.command_run import MAX_UNREAD, CommandRun
from maxagent.tools.process.launcher import ProcessExit, Sink, TimeLimit, stream_output
from maxagent.tools.process.output_capture import OutputRecorder


def build(folder: Path, *, seconds: float | None = None) -> CommandRun:
    return CommandRun("one", "a command", OutputRecorder(folder, "one"), seconds=seconds)


def start(run: CommandRun, command: str, folder: Path) -> list[CommandRun]:
    """Start a shell command; the list gets the run when it has ended."""
    ended = list[CommandRun]()

    async def stream(limit: TimeLimit, sink: Sink) -> ProcessExit:
        argv = ["sh", "-c", command]
        return await stream_output(argv, cwd=folder, timeout=limit, on_output=sink)

    run.start(stream, ended.append)
    return ended


async def test_end_is_reported_with_exit_code(tmp_path: Path) -> None:
    run = build(tmp_path)
    ended = start(run, "echo a; exit 3", tmp_path)
    await run.wait(30)
    await asyncio.sleep(0)
    assert (run.state, run.find_exit_code(), ended) == ("ended", 3, [run])
    assert run.read_new_output() == (b"a\n", 0)
    assert run.read_new_output() == (b"", 0)


async def test_time_limit_holds_until_it_is_lifted(tmp_path: Path) -> None:
    limited = build(tmp_path, seconds=0.1)
    start(limited, "sleep 100", tmp_path)
    await limited.wait(30)
    ended = limited.get_exit()
    assert ended and ended.timed_out

    lifted = build(tmp_path, seconds=0.2)
    start(lifted, "sleep 0.5; echo b", tmp_path)
    lifted.detach()
    await lifted.wait(30)
    assert (lifted.find_exit_code(), lifted.read_new_output()) == (0, (b"b\n", 0))


async def test_stop_ends_it_without_exit_code(tmp_path: Path) -> None:
    run = build(tmp_path)
    start(run, "sleep 100", tmp_path)
    await run.wait(0.05)
    await run.stop()
    assert (run.state, run.find_exit_code(), run.get_exit()) == ("killed", None, None)
    await run.stop()


async def test_sending_back_ends_the_wait_only(tmp_path: Path) -> None:
    run = build(tmp_path)
    start(run, "sleep 100", tmp_path)
    waiting = asyncio.ensure_future(run.wait(30, or_sent_back=True))
    run.sent_back.set()
    await waiting
    assert run.is_running
    await run.stop()


def test_unread_output_is_bounded(tmp_path: Path) -> None:
    run = build(tmp_path)
    for _ in range(3):
        run.add_output(b"x" * MAX_UNREAD)
    data, dropped = run.read_new_output()
    assert (len(data), dropped) == (MAX_UNREAD, 2 * MAX_UNREAD)
    run.recording.close()


def test_detached_output_is_stored_even_if_short(tmp_path: Path) -> None:
    run = build(tmp_path)
    run.add_output(b"first\n")
    run.detach()
    run.add_output(b"second\n")
    run.recording.close()
    assert (tmp_path / "one.txt").read_bytes() == b"first\nsecond\n"
    assert run.read_new_output() == (b"second\n", 0)
