"""Background commands by the tools: started, read, killed, shared network, sent there by hand."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from confinement import FOUND

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.builtin.shell.command_kill import command_kill
from maxagent.tools.builtin.shell.command_output import command_output
from maxagent.tools.builtin.shell.run_command import run_command
from maxagent.tools.builtin.shell.shell_run import start_shell
from maxagent.tools.process.background_commands import MAX_RUNNING, BackgroundCommands
from maxagent.tools.process.command_run import CommandRun
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

SERVE = "python3 -m http.server 8765 --bind 127.0.0.1"
FETCH = "curl -s --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:8765/page.txt"


class Bench:
    """One thread's tools in a project."""

    def __init__(self, folder: Path, jobs: BackgroundCommands) -> None:
        self.root = folder / "project"
        self.root.mkdir(exist_ok=True)
        self.jobs = jobs
        self.tool_run = ToolRun(
            workspace=Workspace(self.root), call_id="c", outputs=folder / "outputs", jobs=jobs
        )
        self._count = 0

    async def run(self, command: str, **args: object) -> CallResult:
        self._count += 1
        run = replace(self.tool_run, call_id=f"call_{self._count}")
        return await invoke(run_command, {"command": command, **args}, run)

    async def start(self, command: str, **args: object) -> CallResult:
        return await self.run(command, background=True, **args)

    async def look(self, command_id: str, **args: object) -> CallResult:
        return await invoke(command_output, {"id": command_id, **args}, self.tool_run)

    async def kill(self, command_id: str) -> CallResult:
        return await invoke(command_kill, {"id": command_id}, self.tool_run)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    jobs = BackgroundCommands("thread")
    yield Bench(tmp_path, jobs)
    await jobs.close()


def confine(bench: Bench, home: Path) -> None:
    if not FOUND.is_on:
        pytest.skip(f"no sandbox works here: {FOUND.why_none}")
    sandbox = open_sandbox(SandboxSection(), Workspace(bench.root), home)
    bench.tool_run = replace(bench.tool_run, sandbox=sandbox)


async def wait_for(bench: Bench, command_id: str, text: str) -> str:
    output = ""
    async with asyncio.timeout(20):
        while text not in output:
            output += (await bench.look(command_id)).output
            await asyncio.sleep(0.05)
    return output


async def test_start_answers_with_id_and_first_output(bench: Bench) -> None:
    result = await bench.start("echo begun; sleep 100")
    assert result.ok and "id: call_1" in result.output and "\nbegun\n" in result.output
    assert (result.metadata["background"], "exit_code" in result.metadata) == ("call_1", False)
    assert [run.id for run in bench.jobs.running] == ["call_1"]


async def test_command_that_ends_at_once_has_exit_code(bench: Bench) -> None:
    result = await bench.start("echo no; exit 3")
    assert (result.output, result.error, bench.jobs.all) == ("no\n", "exit code 3", ())


async def test_output_is_read_since_last_look(bench: Bench) -> None:
    await bench.start("echo a; until test -e go; do sleep 0.05; done; echo b; echo c; exit 7")
    assert "no new output" in (await bench.look("call_1")).output
    (bench.root / "go").touch()
    (command,) = bench.jobs.running
    await command.wait(20)

    result = await bench.look("call_1", filter="^c$")
    assert result.output.splitlines()[1:] == ["c"]
    assert "exit code 7" in result.output.splitlines()[0]
    assert "no new output" in (await bench.look("call_1")).output
    assert (await bench.look("call_1", start_line=2)).output == "b\nc\n"


async def test_wrong_filter_is_refused(bench: Bench) -> None:
    await bench.start("sleep 100")
    assert "not a regular expression" in (await bench.look("call_1", filter="(")).error


async def test_flood_keeps_the_newest_output(bench: Bench) -> None:
    await bench.start("until test -e go; do sleep 0.05; done; seq 1 400000; echo last; sleep 100")
    (bench.root / "go").touch()
    output = await wait_for(bench, "call_1", "last\n")
    assert "earlier output is left out" in output and len(output) < 80_000


async def test_kill_ends_every_process(bench: Bench) -> None:
    await bench.start("setsid sleep 4321 & echo $! > pid; sleep 4321")
    pid = int((bench.root / "pid").read_text())
    result = await bench.kill("call_1")
    assert result.output.startswith("Killed") and bench.jobs.running == ()
    assert not Path(f"/proc/{pid}").exists()
    assert (await bench.kill("call_1")).output == "Ended: it was killed."
    assert "there is no background command `x`" in (await bench.kill("x")).error


async def test_ninth_command_names_the_others(bench: Bench) -> None:
    for _ in range(MAX_RUNNING):
        await bench.jobs.add(await start_sleep(bench))
    result = await bench.start("sleep 100")
    assert "call_1: `sleep 50`" in result.error and "command_kill" in result.error


async def start_sleep(bench: Bench) -> CommandRun:
    number = len(bench.jobs.running) + 1
    run = replace(bench.tool_run, call_id=f"call_{number}")
    return await start_shell("sleep 50", bench.root, run, seconds=None)


async def test_foreground_command_is_sent_to_background(bench: Bench) -> None:
    assert not bench.jobs.send_to_background()
    running = asyncio.ensure_future(bench.run("echo one; until test -e go; do sleep 0.05; done"))
    while not bench.jobs.has_foreground:
        await asyncio.sleep(0.01)
    assert bench.jobs.send_to_background()
    result = await running
    assert "The user sent this command to the background" in result.output
    assert [run.id for run in bench.jobs.running] == ["call_1"]


async def test_command_out_of_time_goes_on(bench: Bench) -> None:
    bench.tool_run = replace(bench.tool_run, command_timeout=0.3)
    late = await bench.run("touch made; sleep 100")
    assert "Still running after" in late.output and len(bench.jobs.running) == 1
    limited = await bench.run("touch made; sleep 100", timeout=0.3)
    assert "stopped after 0.3 seconds" in limited.error and len(bench.jobs.running) == 1


async def test_confined_server_is_reached_by_its_thread_only(bench: Bench, tmp_path: Path) -> None:
    confine(bench, tmp_path / "home")
    (bench.root / "page.txt").write_text("hello from inside\n")
    started = await bench.start(SERVE)
    assert "later commands reach its ports" in started.output

    assert (await bench.run(FETCH)).output == "hello from inside\n"
    assert "GET /page.txt" in await wait_for(bench, "call_1", "GET /page.txt")
    once = "curl -s --max-time 5 http://127.0.0.1:8765/page.txt"
    assert (await bench.run(once, outside_sandbox=True)).error == "exit code 7"

    others = BackgroundCommands("another")
    other = Bench(tmp_path, others)
    other.tool_run = replace(other.tool_run, sandbox=bench.tool_run.sandbox)
    assert (await other.run(once)).error.startswith("exit code 7")
    await others.close()
    assert (await bench.kill("call_1")).output.startswith("Killed")
    assert (await bench.run(once)).error.startswith("exit code 7")


async def test_server_outside_is_reached_from_the_machine(bench: Bench) -> None:
    (bench.root / "page.txt").write_text("hello\n")
    await bench.start(SERVE.replace("8765", "8766"), outside_sandbox=True)
    assert (await bench.run(FETCH.replace("8765", "8766"))).output == "hello\n"
