from pathlib import Path

import pytest

from maxagent.tools.process.background_commands import MAX_ENDED, MAX_RUNNING, BackgroundCommands
from maxagent.tools.process.command_run import CommandRun
from maxagent.tools.process.launcher import ProcessExit, Sink, TimeLimit, stream_output
from maxagent.tools.process.output_capture import OutputRecorder
from maxagent.tools.result import ToolError


class Notes:
    """A record that keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    async def begin(self, command: CommandRun) -> None:
        self.kept.append(f"begin {command.id}")

    async def finish(self, command: CommandRun) -> None:
        self.kept.append(f"finish {command.id}")


def start(commands: BackgroundCommands, folder: Path, name: str, line: str) -> CommandRun:
    async def stream(limit: TimeLimit, sink: Sink) -> ProcessExit:
        argv = ["sh", "-c", line]
        return await stream_output(argv, cwd=folder, timeout=limit, on_output=sink)

    run = CommandRun(name, line, OutputRecorder(folder, name))
    run.start(stream, commands.note_end)
    return run


async def test_begin_and_end_are_events_and_recorded(tmp_path: Path) -> None:
    notes, seen = Notes(), list[int]()
    commands = BackgroundCommands("thread", lambda: seen.append(1), notes)
    run = start(commands, tmp_path, "one", "sleep 0.1; exit 2")
    await commands.add(run)
    assert (commands.running, commands.find("one")) == ((run,), run)
    await run.wait(30)
    await commands.mark_known(run)
    await commands.mark_known(run)

    process, ended = commands.take_events()
    assert (process["type"], ended["type"]) == ("background_started", "background_finished")
    assert (ended["exit_code"], ended["killed"], commands.running) == (2, False, ())
    assert (notes.kept, commands.take_events()) == (["begin one", "finish one"], [])
    assert len(seen) == 2


async def test_too_many_are_refused_by_name(tmp_path: Path) -> None:
    commands = BackgroundCommands("thread")
    for number in range(MAX_RUNNING):
        await commands.add(start(commands, tmp_path, f"c{number}", f"sleep 10{number}"))
    with pytest.raises(ToolError, match="c0: `sleep 100`; c1: `sleep 101`"):
        commands.require_room()
    await commands.kill("c3")
    commands.require_room()
    with pytest.raises(ToolError, match="no background command `c99`; running are c0"):
        await commands.kill("c99")
    await commands.close()
    assert commands.running == ()


async def test_old_ended_commands_are_forgotten(tmp_path: Path) -> None:
    commands = BackgroundCommands("thread")
    for number in range(MAX_ENDED + 2):
        run = start(commands, tmp_path, f"c{number}", "true")
        await commands.add(run)
        await run.wait(30)
        commands.note_end(run)
    assert len(commands.all) == MAX_ENDED and commands.find("c0") is None
