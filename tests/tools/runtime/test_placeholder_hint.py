from dataclasses import replace
from pathlib import Path

from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.process.background_commands import BackgroundCommands
from maxagent.tools.process.command_run import CommandRun
from maxagent.tools.process.launcher import ProcessExit, Sink, TimeLimit, stream_output
from maxagent.tools.process.output_capture import OutputRecorder
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


async def test_name_that_is_held_free_is_explained(tmp_path: Path) -> None:
    async def stream(limit: TimeLimit, sink: Sink) -> ProcessExit:
        return await stream_output(["sleep", "100"], cwd=tmp_path, timeout=limit, on_output=sink)

    for name in ("AGENTS.md", "sub"):
        (tmp_path / "project" / name).mkdir(parents=True)
    jobs = BackgroundCommands("thread")
    run = ToolRun(Workspace(tmp_path / "project"), "c", tmp_path / "outputs", jobs=jobs)

    async def write(path: str) -> str:
        return (await invoke(write_file, {"path": path, "content": "x"}, run)).error

    assert "is a folder" in await write("AGENTS.md")
    command = CommandRun("c1", "sleep", OutputRecorder(tmp_path, "c1"), confined=True)
    command.start(stream)
    await jobs.add(command)
    assert "End it first with command_kill: c1" in await write("AGENTS.md")
    assert "is a folder" in await write("sub")
    run = replace(run, jobs=None)
    assert "is a folder" in await write("AGENTS.md")
    await jobs.close()
