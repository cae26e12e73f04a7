"""`/jobs`: without any, and with what it cannot do; with one: `tests/e2e/test_background.py`."""

import asyncio
from pathlib import Path

import pytest
from repl_session import Spoken

from maxagent.cli.repl.slash.jobs import describe_job
from maxagent.config.errors import UsageError
from maxagent.sdk.background import BackgroundJob
from maxagent.sdk.runner import Runner
from maxagent.tools.process.command_run import CommandRun
from maxagent.tools.process.launcher import ProcessExit, Sink
from maxagent.tools.process.output_capture import OutputRecorder


async def test_without_jobs_it_says_so(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        assert "No command runs" in await spoken("/jobs")
        spoken.session.thread = "a" * 32
        with pytest.raises(UsageError, match="no background command"):
            await spoken("/jobs output x")
        for name in ("what", "kill", "output"):
            with pytest.raises(UsageError, match="unknown or incomplete"):
                await spoken(f"/jobs {name}")
        assert spoken.session.count_jobs() == 0


async def add_ended_command(runner: Runner, thread: str, command_id: str, folder: Path) -> None:
    async def end(_: object, sink: Sink) -> ProcessExit:
        return ProcessExit(7, timed_out=False, duration=3.0)

    command = CommandRun(command_id, "make", OutputRecorder(folder, command_id))
    command.start(end)
    await runner.pool.background.open(thread).add(command)
    await command.wait()


async def test_kill_of_ended_command_says_how_it_ended(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        spoken.session.thread = thread = "a" * 32
        await add_ended_command(runner, thread, "call_12", tmp_path)
        output = await spoken("/jobs kill 12")
        assert output.startswith("make\nended after 3 s with exit code 7")


async def test_commands_of_other_conversations_are_counted(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        spoken.session.thread = "a" * 32

        async def run_on(_: object, sink: Sink) -> ProcessExit:
            await asyncio.Event().wait()
            raise AssertionError

        command = CommandRun("call_1", "make", OutputRecorder(tmp_path, "call_1"))
        command.start(run_on)
        await runner.pool.background.open("b" * 32).add(command)
        output = await spoken("/jobs")
        assert "No command runs in the background." in output
        assert "Running in the conversation bbbbbbbb: 1; `/resume bbbbbbbb`" in output


async def test_part_of_several_ids_is_refused(spoken: Spoken, tmp_path: Path) -> None:
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        spoken.session.thread = thread = "a" * 32
        for command_id in ("call_1", "call_12"):
            await add_ended_command(runner, thread, command_id, tmp_path)
        with pytest.raises(UsageError, match="part of the IDs of 2 background commands"):
            await spoken("/jobs output call")
        assert "(no output)" in await spoken("/jobs output call_1")


@pytest.mark.parametrize(
    ("job", "text"),
    [
        (BackgroundJob("i", "c", "running", 3.2, None, True), "running for 3 s"),
        (BackgroundJob("i", "c", "ended", 3.2, 2, True), "ended after 3 s with exit code 2"),
        (BackgroundJob("i", "c", "ended", 3.2, None, True), "killed"),
        (BackgroundJob("i", "c", "killed", 3.2, None, False), "killed · outside the sandbox"),
    ],
)
def test_state_of_job_is_described(job: BackgroundJob, text: str) -> None:
    assert describe_job(job) == text
