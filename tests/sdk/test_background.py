"""Background commands by the SDK: listed, read, killed; what the thread is told of them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from maxagent.config.errors import UsageError
from maxagent.sdk.events import Event
from maxagent.sdk.graph_registry import CHAT
from maxagent.sdk.runner import Runner
from maxagent.sdk.threads.file_history import open_leased_files


class Bench:
    """A project, and a scripted model that speaks in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "project", folder / "home"
        self.folder.mkdir()
        self._script = folder / "scenario.json"

    def script(self, *turns: dict[str, Any]) -> dict[str, Any]:
        self._script.write_text(json.dumps({"build": turns}))
        return {"model": f"scripted/{self._script}", "mode": "auto"}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def start(command: str) -> dict[str, Any]:
    args = {"command": command, "background": True}
    return {"tool_calls": [{"name": "run_command", "args": args}]}


async def collect(events: Any) -> list[Event]:
    return [event async for event in events]


async def read_notes(runner: Runner, thread: str) -> list[str]:
    config = {"configurable": {"thread_id": thread}}
    state = await runner._graph_of(CHAT).aget_state(config)
    messages: Sequence[Any] = state.values["messages"]
    return [message.text for message in messages if message.additional_kwargs.get("synthetic")]


async def test_command_is_listed_read_and_killed(bench: Bench) -> None:
    options = bench.script(start("echo begun; touch a; sleep 100"), {"text": "ok"}, {"text": "ok"})
    async with Runner(home=bench.home) as runner:
        events = await collect(runner.chat("go", folder=bench.folder, options=options))
        thread = events[-1].thread_id
        (job,) = runner.background.list(thread)
        assert (job.state, job.exit_code) == ("running", None)
        assert runner.background.list_running() == (job,) or job.seconds
        assert runner.background.read_output(thread, job.id[5:9]) == "begun\n"
        assert not runner.background.send_to_background(thread)
        with pytest.raises(UsageError, match="no background command `x`"):
            runner.background.read_output(thread, "x")

        assert (await runner.background.kill(thread, job.id)).state == "killed"
        events = await collect(runner.say(thread, "and?"))
        assert [event.type for event in events if "background" in event.type] == [
            "background_finished"
        ]
        (note,) = await read_notes(runner, thread)
        assert "has ended" in note and "it was killed" in note


async def test_end_of_runner_ends_commands_and_is_reported_once(bench: Bench) -> None:
    turns = [start("touch a; sleep 100"), *[{"text": "ok"}] * 4]
    options = bench.script(*turns)
    async with Runner(home=bench.home) as runner:
        thread = (await collect(runner.chat("go", folder=bench.folder, options=options)))[-1]
        thread = thread.thread_id
        (command,) = runner.pool.background.running
    assert command.state == "killed"
    for _ in range(2):
        async with Runner(home=bench.home) as runner:
            await collect(runner.say(thread, "and?"))
            await collect(runner.say(thread, "and?"))
            (note,) = await read_notes(runner, thread)
            assert "do not run any more" in note and "sleep 100" in note


async def test_later_changes_count_as_those_of_others(bench: Bench) -> None:
    command = "echo 1 > early.txt; until test -e go; do sleep 0.05; done; echo 2 > late.txt"
    touch = {"tool_calls": [{"name": "write_file", "args": {"path": "go", "content": "x"}}]}
    look = {"tool_calls": [{"name": "run_command", "args": {"command": "sleep 1 && touch own"}}]}
    options = bench.script(
        start(f"{command}; sleep 100"), {"text": "ok"}, touch, {"text": "ok"}, look, {"text": "ok"}
    )
    async with Runner(home=bench.home) as runner:
        events = await collect(runner.chat("go", folder=bench.folder, options=options))
        thread = events[-1].thread_id
        await collect(runner.say(thread, "write"))
        (command_run,) = runner.pool.background.running
        while not (bench.folder / "late.txt").exists():
            await command_run.wait(0.05)
        await collect(runner.say(thread, "look"))
    row = runner.threads.find(thread)
    with open_leased_files(row, bench.home) as files:
        by = {
            change.path: entry.kind
            for entry in files.history.list_entries(thread)
            for change in entry.changes
        }
    assert (by["early.txt"], by["go"], by["late.txt"]) == ("shell", "tool", "others")


async def test_summary_names_running_commands(bench: Bench) -> None:
    talk = [{"text": "word-" * 20_000} for _ in range(5)]
    options = bench.script(start("touch a; sleep 100"), *talk, {"text": "Summed up."})
    async with Runner(home=bench.home) as runner:
        events = await collect(runner.chat("go", folder=bench.folder, options=options))
        thread = events[-1].thread_id
        for _ in range(4):
            await collect(runner.say(thread, "more"))
        ended = (await collect(runner.compact(thread)))[-1]
        (job,) = runner.background.list_running()
        state, _ = await runner.read_state(thread)
    assert f"Running in the background: {job.id} (`touch a" in str(state.get("cuts")), ended
