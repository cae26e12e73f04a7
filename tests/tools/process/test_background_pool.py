import os
from pathlib import Path

import pytest

from maxagent.tools.process.background_commands import BackgroundCommands
from maxagent.tools.process.background_pool import BackgroundPool
from maxagent.tools.process.command_run import CommandRun
from maxagent.tools.process.launcher import ProcessExit, Sink, TimeLimit, stream_output
from maxagent.tools.process.namespaces import Namespaces
from maxagent.tools.process.output_capture import OutputRecorder


def start(commands: BackgroundCommands, folder: Path, name: str, line: str) -> CommandRun:
    async def stream(limit: TimeLimit, sink: Sink) -> ProcessExit:
        argv = ["sh", "-c", line]
        return await stream_output(argv, cwd=folder, timeout=limit, on_output=sink)

    run = CommandRun(name, line, OutputRecorder(folder, name))
    run.start(stream, commands.note_end)
    return run


def test_thread_is_found_once_it_is_opened() -> None:
    pool = BackgroundPool()
    assert pool.find("thread") is None
    commands = pool.open("thread")
    assert pool.find("thread") is commands
    pool.release("thread")
    assert pool.find("thread") is None


def test_check_holds_until_the_run_ends() -> None:
    pool = BackgroundPool()
    pool.mark_checked("thread")
    assert pool.is_checked("thread") and not pool.is_checked("other")
    pool.release("thread")
    assert not pool.is_checked("thread")


async def test_network_stays_while_a_command_runs(tmp_path: Path) -> None:
    pool = BackgroundPool()
    commands = pool.open("thread")
    reader, writer = os.pipe()
    commands.network = Namespaces((reader, writer))
    run = start(commands, tmp_path, "one", "sleep 100")
    await commands.add(run)
    pool.release("thread")
    assert commands.network and pool.running == (run,)
    await commands.kill("one")
    pool.release("thread")
    assert commands.network is None and pool.open("thread") is commands
    with pytest.raises(OSError):
        os.fstat(reader)


async def test_pool_ends_commands_of_all_threads(tmp_path: Path) -> None:
    pool = BackgroundPool()
    for name in ("a", "b"):
        commands = pool.open(name)
        await commands.add(start(commands, tmp_path, name, "trap '' TERM; sleep 100"))
    running = pool.running
    await pool.close()
    assert len(running) == 2 and not any(run.is_running for run in running)
    pool.release("a")
    assert pool.running == ()
