"""What a thread's history of files says, read after real runs of the scripted model."""

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from maxagent import trust
from maxagent.config import paths
from maxagent.memory.snapshots.file_version import filter_visible
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.undo.history import FileHistory, HistoryEntry
from maxagent.sdk.interrupt_response import Answer
from maxagent.sdk.runner import Runner
from maxagent.sdk.threads.file_history import open_leased_files
from maxagent.sdk.threads.steps import find_step

QUESTION = {"name": "ask_user", "args": {"question": "Go on?"}}


def shell(command: str) -> dict:
    return {"name": "run_command", "args": {"command": command}}


def write(path: str, content: str) -> dict:
    return {"name": "write_file", "args": {"path": path, "content": content}}


class Stage:
    def __init__(self, tmp_path: Path) -> None:
        self.home, self.project = tmp_path / "home", tmp_path / "project"
        self.project.mkdir()
        (self.project / ".llc.yaml").write_text("task: {test_command: 'true'}\n")
        trust(self.project, self.home)
        self.script = tmp_path / "scenario.json"

    async def play(self, *calls: list[dict]) -> list:
        """Run a task whose coder makes these calls, a list a turn, up to its first question."""
        self.script = self.script.with_name(f"{len(calls)}{self.script.name}")
        turns = [*({"tool_calls": some} for some in calls), {"text": "done"}]
        tester = [{"text": "Accepted."}]
        self.script.write_text(
            json.dumps({"architect": [{"text": "SMALL"}], "coder": turns, "tester": tester})
        )
        options = {"model": f"scripted/{self.script}", "mode": "auto", "apply": True}
        async with Runner(home=self.home) as runner:
            return [item async for item in runner.task("x", folder=self.project, options=options)]

    async def answer(self, thread: str) -> list:
        async with Runner(home=self.home) as runner:
            return [item async for item in runner.resume(thread, Answer(text="yes"))]

    def history(self, thread: str) -> list[tuple]:
        entries = FileHistory(paths.locate_database(self.home)).list_entries(thread)
        return [
            (entry.kind, entry.tool, [(c.path, c.kind) for c in filter_visible(entry.changes)])
            for entry in entries
        ]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


async def test_each_call_that_changes_files_is_an_entry(stage: Stage) -> None:
    events = await stage.play(
        [write("a.txt", "one\n"), shell("echo two > b.txt"), shell("true")],
        [shell("rm a.txt")],
    )
    assert stage.history(events[0].thread_id) == [
        ("tool", "write_file", [("a.txt", "added")]),
        ("shell", "run_command", [("b.txt", "added")]),
        ("shell", "run_command", [("a.txt", "deleted")]),
    ]
    message = [file for event in events if event.type == "files_changed" for file in event.files]
    assert [(file["path"], file["by"]) for file in message] == [
        ("a.txt", "tool"), ("b.txt", "shell"), ("a.txt", "shell"),
    ]  # fmt: skip


async def test_user_changes_between_steps_are_recorded_as_others(
    stage: Stage,
) -> None:
    asked = await stage.play([write("a.txt", "one\n")], [QUESTION], [shell("echo more >> a.txt")])
    thread = asked[0].thread_id
    (stage.project / "a.txt").write_text("mine\n")
    (stage.project / "notes.txt").write_text("mine too\n")
    await stage.answer(thread)
    assert stage.history(thread) == [
        ("tool", "write_file", [("a.txt", "added")]),
        ("others", "", [("a.txt", "modified"), ("notes.txt", "added")]),
        ("shell", "run_command", [("a.txt", "modified")]),
    ]


async def test_what_the_tests_change_is_an_entry_too(stage: Stage) -> None:
    (stage.project / ".llc.yaml").write_text("task: {test_command: 'echo ran > report.txt'}\n")
    trust(stage.project, stage.home)
    events = await stage.play([shell("true")])
    assert stage.history(events[0].thread_id) == [
        ("shell", "verify", [("report.txt", "added")]),
    ]


async def test_ignored_file_is_recorded_once_tool_writes_it(stage: Stage) -> None:
    (stage.project / ".gitignore").write_text("made/\n")
    events = await stage.play(
        [shell("mkdir made; echo unseen > made/log")],
        [write("made/code.txt", "one\n")],
        [shell("echo two >> made/code.txt")],
    )
    assert stage.history(events[0].thread_id) == [
        ("tool", "write_file", [("made/code.txt", "added")]),
        ("shell", "run_command", [("made/code.txt", "modified")]),
    ]


async def test_thread_continues_and_reports_lost_snapshots(stage: Stage) -> None:
    asked = await stage.play([write("a.txt", "one\n")], [QUESTION], [write("b.txt", "two\n")])
    shutil.rmtree(stage.home / "data" / "snapshots")
    (stage.project / "c.txt").write_text("mine\n")
    events = await stage.answer(asked[0].thread_id)
    assert events[-1].outcome == "verified"
    assert any("are lost" in event.text for event in events if event.type == "notice")
    assert stage.history(asked[0].thread_id)[1:] == [
        ("tool", "write_file", [("b.txt", "added")]),
    ]


async def test_step_after_undo_starts_from_undone_files(stage: Stage) -> None:
    look = {"name": "read_file", "args": {"path": "b.txt"}}
    (stage.project / "b.txt").write_text("mine\n")
    asked = await stage.play([write("a.txt", "one\n")], [QUESTION], [look], [shell("rm b.txt")])
    row = ThreadIndex(stage.home).get(asked[0].thread_id)
    with open_leased_files(row, stage.home) as files:
        await (await files.plan_restore("undo")).apply()
    await stage.answer(row.thread_id)
    with open_leased_files(row, stage.home) as files:
        step = find_step(row, stage.home, 4)
        assert step.message.tools == ("read_file",)
        await (await files.plan_restore("rewind", after=step.file_entry)).apply()
    assert (stage.project / "b.txt").read_text() == "mine\n"
    assert not (stage.project / "a.txt").exists()


async def test_other_threads_changes_during_command_are_not_own(
    stage: Stage,
) -> None:
    (stage.project / ".gitignore").write_text("gate\n")
    first = await stage.play([write("a.txt", "one\n")])
    gate = stage.project / "gate"
    os.mkfifo(gate)
    running = asyncio.create_task(stage.play([shell("echo two > b.txt; cat gate > c.txt")]))
    with await asyncio.to_thread(gate.open, "w") as opened:  # returns when `cat` reads
        row = ThreadIndex(stage.home).get(first[0].thread_id)
        with open_leased_files(row, stage.home) as files:
            await (await files.plan_restore("undo")).apply()
        opened.write("three\n")
    second = (await running)[0].thread_id
    assert stage.history(second) == [
        ("shell", "run_command", [("b.txt", "added"), ("c.txt", "added")]),
        ("others", "", [("a.txt", "deleted")]),
    ]


async def test_new_files_not_named_by_command_are_doubtful(stage: Stage) -> None:
    (stage.project / "make.sh").write_text("mkdir bare; echo x > made.txt; echo y > old.txt\n")
    (stage.project / "old.txt").write_text("old")
    events = await stage.play([shell("sh make.sh > log.txt")], [shell("mkdir pkg && touch pkg/a")])
    entries = FileHistory(paths.locate_database(stage.home)).list_entries(events[0].thread_id)
    assert [entry.doubtful for entry in entries] == [{"bare/", "made.txt"}, frozenset()]


async def test_files_of_concurrent_commands_are_doubtful(stage: Stage) -> None:
    (stage.project / ".gitignore").write_text("gate\n")
    (stage.project / "old.txt").write_text("old")
    (stage.project / "make.sh").write_text("echo y > old.txt\n")
    gate = stage.project / "gate"
    os.mkfifo(gate)
    running = asyncio.create_task(stage.play([shell("cat gate > c.txt")]))
    with await asyncio.to_thread(gate.open, "w") as opened:  # returns when `cat` reads
        second = (await stage.play([shell("sh make.sh; touch d.txt")]))[0].thread_id
        opened.write("three\n")
    first = (await running)[0].thread_id
    history = FileHistory(paths.locate_database(stage.home))
    assert [(set(shown(e)), e.doubtful) for e in history.list_entries(second)] == [
        ({"old.txt", "d.txt"}, {"old.txt"})
    ]
    entry, theirs = history.list_entries(first)
    assert (set(shown(entry)), entry.doubtful) == ({"c.txt", "old.txt"}, {"old.txt"})
    assert (theirs.kind, shown(theirs)) == ("others", ["d.txt"])


def shown(entry: HistoryEntry) -> list[str]:
    return [change.path for change in filter_visible(entry.changes)]
