"""Settings, threads and exports from before the names changed are read and continued."""

from pathlib import Path
from typing import Any

import pytest
from older_home import CHAT, FORK, TASK, WAITING, unpack_older_home

from maxagent import Answer, Runner
from maxagent.config.agents.registry import find_agents
from maxagent.config.settings.loader import load_settings
from maxagent.config.trust.decision import check_trust
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.graph_registry import find_job
from maxagent.sdk.threads.pruning import prune_storage
from maxagent.sdk.threads.steps import read_thread_branches
from maxagent.sdk.threads.time_travel import rewind_talk
from maxagent.sdk.threads.transcript import read_transcript
from maxagent.sdk.transfer.exporter import export_thread
from maxagent.sdk.transfer.importer import import_thread

SAID = ["first question", "first answer", "another question", "second answer"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return unpack_older_home(tmp_path)


def read_texts(home: Path, thread: str) -> list[str]:
    entries = read_transcript(ThreadIndex(home).get(thread), home)
    return [entry.text for entry in entries if entry.kind in ("human", "answer")]


async def read_last(events: Any) -> Any:
    event = None
    async for each in events:
        event = each
    return event


def test_older_settings_and_agents_are_loaded(home: Path) -> None:
    project = home.parent / "project"
    assert check_trust(project, home).trusted
    loaded = load_settings(project, home, environ={})
    settings = loaded.settings
    assert (settings.security.mode, settings.model.models["glm-4.6"].temperature) == ("edits", 0.2)
    assert (settings.task.test_command, settings.threads.titles) == ("make check", False)
    assert [(rule.kind, rule.text) for rule in loaded.rules] == [
        ("deny", "run_command(rm *)"),
        ("allow", "run_command(pytest *)"),
        ("allow", "run_command(make test:*)"),
    ]
    poet = find_agents(project, home, check_trust(project, home)).profiles["poet"]
    assert poet.description == "Writes poems."


def test_older_threads_are_listed_and_found(home: Path) -> None:
    index = ThreadIndex(home)
    status = {row.thread_id: row.status for row in index.list(home.parent / "project")}
    assert status == {CHAT: "idle", FORK: "interrupted", WAITING: "waiting", TASK: "waiting"}
    assert index.find("old talk").thread_id == CHAT
    assert [row.thread_id for row in index.search("another second")] == [CHAT]
    assert index.get(FORK).parent == CHAT


async def test_older_conversation_is_read_and_continued(home: Path) -> None:
    assert read_texts(home, CHAT) == SAID
    async with Runner(home=home) as runner:
        end = await read_last(runner.say(CHAT, "one more"))
    assert end.summary == "third answer"
    assert read_texts(home, CHAT) == [*SAID, "one more", "third answer"]


async def test_older_fork_answers_its_message(home: Path) -> None:
    async with Runner(home=home) as runner:
        end = await read_last(runner.resume(FORK))
    assert end.summary == "second answer"
    assert read_texts(home, FORK) == [*SAID[:2], "in the fork", "second answer"]


async def test_older_steps_survive_prune_and_rewind(home: Path) -> None:
    thread_branches = read_thread_branches(ThreadIndex(home).get(CHAT), home)
    assert [step.number for step in thread_branches.steps] == [0, 1, 2, 3, 4]
    assert len(thread_branches.abandoned) == 1
    await prune_storage(home)
    row = ThreadIndex(home).get(CHAT)
    saved = read_thread_branches(row, home)
    assert [step.message for step in saved.steps] == [
        step.message for step in thread_branches.steps
    ]
    await rewind_talk(row, home, saved.steps[2])
    assert read_texts(home, CHAT) == SAID[:2]


async def test_older_question_of_conversation_is_answered(home: Path) -> None:
    async with Runner(home=home) as runner:
        end = await read_last(runner.resume(WAITING, Answer(approve=True)))
    assert end.summary == "done"
    assert (home.parent / "project" / "b.txt").read_text() == "x\n"


async def test_older_question_of_task_is_answered(home: Path) -> None:
    async with Runner(home=home) as runner:
        asked = await read_last(runner.resume(TASK, Answer(approve=True)))
        review = await read_last(runner.resume(TASK, Answer(reject="no tests here")))
    assert asked.action_requests[0]["name"] == "run_tests"
    assert review.kind == "review"
    assert (home.parent / "project" / "c.txt").read_text() == "y\n"


async def test_older_export_is_imported_and_continued(home: Path, tmp_path: Path) -> None:
    result = await import_thread(tmp_path / "export.zip", tmp_path / "project", home)
    thread = result.row.thread_id
    assert read_texts(home, thread) == SAID
    again = tmp_path / "again.zip"
    again.write_bytes(export_thread(ThreadIndex(home).get(CHAT), home).content)
    copy = await import_thread(again, tmp_path / "project", home)
    assert read_texts(home, copy.row.thread_id) == SAID


@pytest.mark.parametrize("thread", [CHAT, FORK, WAITING, TASK])
async def test_edited_older_thread_keeps_what_comes_next(home: Path, thread: str) -> None:
    async with Runner(home=home) as runner:
        graph: Any = runner._graph_of(find_job(runner.threads.get(thread).graph))
        config = {"configurable": {"thread_id": thread}}
        states = [state async for state in graph.aget_state_history(config)]
        for state in [*states[1:], states[0]]:
            for node in (None, *graph.nodes):
                if node == "__start__" or state.next == ("__start__",):
                    continue
                written = await graph.aupdate_state(state.config, {"todos": []}, as_node=node)
                assert (await graph.aget_state(written)).next == state.next, (state.next, node)
        assert runner.threads.get(thread).status != "unknown"
        if states[0].interrupts:
            asked = await read_last(runner.resume(thread))
            assert [request["name"] for request in asked.action_requests] == ["write_file"]
