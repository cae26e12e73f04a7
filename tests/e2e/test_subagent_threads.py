"""Readers of threads with real sub-agents: transcript, fork, export, rewind, prune and undo."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from crew import Crew, calls, sends
from provider import Provider, Request

from maxagent import Answer, Runner, trust
from maxagent.memory.threads.record import ThreadRow
from maxagent.sdk.events import Event, Question, list_questions
from maxagent.sdk.threads import time_travel
from maxagent.sdk.threads.children import find_child, list_children
from maxagent.sdk.threads.disk_usage import measure_threads
from maxagent.sdk.threads.file_changes import read_file_changes
from maxagent.sdk.threads.file_history import open_leased_files
from maxagent.sdk.threads.pruning import prune_storage
from maxagent.sdk.threads.steps import find_step, summarize_steps
from maxagent.sdk.threads.transcript import read_child_transcript, read_transcript
from maxagent.sdk.threads.usage import read_usage
from maxagent.sdk.transfer.exporter import export_thread
from maxagent.sdk.transfer.importer import import_thread

NAMES = ("one", "two", "three")


class Place:
    """A project, a home, and a conversation whose model sends sub-agents."""

    def __init__(self, folder: Path, provider: Provider, runner: Runner) -> None:
        self.folder, self.provider, self.runner = folder / "project", provider, runner
        self.home = runner.home
        self.folder.mkdir()
        (self.folder / "a.txt").write_text("x\n")
        trust(self.folder, runner.home)

    @property
    def row(self) -> ThreadRow:
        return self.runner.threads.list()[0]

    async def chat(self, crew: Crew, **options: Any) -> Any:
        """Begin a conversation; return its last event."""
        self.provider.script(crew)
        chosen: Any = {"model": "openai/served", "base_url": self.provider.url, **options}
        return await end_of(self.runner.chat("go", folder=self.folder, options=chosen))

    async def answer(self, *answers: Answer) -> Any:
        """Answer questions; return the last event."""
        return await end_of(self.runner.resume(self.row.thread_id, answers))

    def read_statuses(self) -> list[tuple[str, object]]:
        """The children as the transcript shows them."""
        entries = read_transcript(self.row, self.home)
        return [
            (entry.agent, entry.facts["status"]) for entry in entries if entry.kind == "subagent"
        ]


async def end_of(events: AsyncIterator[Event]) -> Event:
    return [event async for event in events][-1]


@pytest.fixture
async def world(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    async with Runner(home=tmp_path / "home") as runner:
        yield Place(tmp_path, provider, runner)


def explorer(name: str) -> Callable[[Request], Any]:
    """A child that searches once, then reports."""

    def answer(request: Request) -> Any:
        if request.body["messages"][-1]["role"] == "tool":
            return {"text": f"{name} has found it"}
        return calls(("grep", {"regex": name}))

    return answer


def make_explorers(*after: Any) -> Crew:
    """A parent that sends two explorers, and ends, perhaps with more answers."""
    sent = sends(("explore", "one x"), ("explore", "two x"))
    children = {name: explorer(name) for name in NAMES}
    return Crew(sent, {"text": "All found."}, *after, **children)


def make_askers() -> Crew:
    """Three children that each ask for a page, and report."""
    children: Any = {
        name: [
            calls(("webfetch", {"url": f"https://{name}.example"})),
            {"text": f"{name} was told"},
        ]
        for name in NAMES
    }
    sent = sends(*[("explore", f"{name} x") for name in NAMES])
    return Crew(sent, {"text": "All told."}, **children)


async def test_transcript_and_search_have_children(world: Place) -> None:
    await world.chat(make_explorers())
    assert world.read_statuses() == [("explore-1", "done"), ("explore-2", "done")]
    for child, name in zip(list_children(world.row, world.home), NAMES, strict=False):
        entries = read_child_transcript(world.row, world.home, child)
        output = [(entry.kind, entry.text or entry.tool) for entry in entries]
        assert output == [
            ("human", f"{name} x"),
            ("call", "grep"),
            ("answer", f"{name} has found it"),
        ]
        assert child.report.endswith(f"{name} has found it")
    assert [row.thread_id for row in world.runner.threads.search("two has found")] == [
        world.row.thread_id
    ]
    usage = read_usage(world.row.thread_id, world.home, 100)
    assert usage is not None and usage.requests == 6


async def test_three_questions_are_answered_in_any_order(world: Place) -> None:
    first = await world.chat(make_askers())
    assert isinstance(first, Question)
    questions = list_questions(first)
    assert [(question.agent, question.position, question.count) for question in questions] == [
        ("explore-1", 1, 3),
        ("explore-2", 2, 3),
        ("explore-3", 3, 3),
    ]
    assert (world.row.status, world.row.questions) == ("waiting", 3)
    second = await world.answer(Answer(reject="not two", parked=questions[1].id[:8]))
    assert [question.agent for question in list_questions(second)] == ["explore-1", "explore-3"]
    assert world.read_statuses() == [
        ("explore-1", "waiting"),
        ("explore-2", "done"),
        ("explore-3", "waiting"),
    ]
    last = await world.answer(
        Answer(reject="not three", question=questions[2].id),
        Answer(reject="not one", question=questions[0].id),
    )
    assert (last.summary, world.row.questions) == ("All told.", 0)
    for child, name in zip(list_children(world.row, world.home), NAMES, strict=True):
        [call] = [
            entry
            for entry in read_child_transcript(world.row, world.home, child)
            if entry.kind == "call"
        ]
        assert f"not {name}" in call.result


async def test_fork_leaves_open_children(world: Place) -> None:
    first = await world.chat(make_askers())
    await world.answer(Answer(reject="no", question=first.id))
    parent = world.row
    fork = await time_travel.copy_thread(parent, world.home)
    assert [child.sub_id for child in list_children(fork, world.home)] == ["explore-1"]
    entries = read_child_transcript(fork, world.home, find_child(fork, world.home, "explore-1"))
    assert entries[-1].text == "one was told"
    [call] = [entry for entry in read_transcript(fork, world.home) if entry.kind == "call"]
    assert call.ok is False
    assert len(list_children(parent, world.home)) == 3
    world.provider.script([{"text": "I go on."}])
    end: Any = await end_of(world.runner.resume(fork.thread_id))
    assert end.summary == "I go on."


async def test_export_and_import_take_children_along(world: Place, tmp_path: Path) -> None:
    await world.chat(make_explorers({"text": "Again."}))
    file, home, folder = tmp_path / "thread.zip", tmp_path / "there", tmp_path / "other"
    file.write_bytes(export_thread(world.row, world.home).content)
    folder.mkdir()
    row = (await import_thread(file, folder, home)).row
    assert list_children(row, home) == list_children(world.row, world.home)
    child = find_child(row, home, "explore-2")
    assert read_child_transcript(row, home, child)[-1].text == "two has found it"
    trust(folder, home)
    options: Any = {"model": "openai/served", "base_url": world.provider.url}
    async with Runner(home=home) as runner:
        end: Any = await end_of(runner.say(row.thread_id, "once more", options=options))
    assert end.summary == "Again."


async def test_rewind_before_children_takes_them_from_lists(world: Place) -> None:
    await world.chat(make_explorers())
    row = world.row
    steps = summarize_steps(row, world.home)
    assert [step.tools for step in steps] == [(), ("subagent",), ()]  # none of a child
    with open_leased_files(row, world.home):
        await time_travel.rewind_talk(row, world.home, find_step(row, world.home, 0))
    assert list_children(row, world.home) == []
    assert world.read_statuses() == []
    before = measure_threads([row], world.home)[row.thread_id]
    await prune_storage(world.home)
    assert measure_threads([row], world.home)[row.thread_id] < before


async def test_pruned_child_answers_and_reports(world: Place) -> None:
    first = await world.chat(make_askers())
    await prune_storage(world.home)
    answers = [Answer(reject="no", question=question.id) for question in list_questions(first)]
    last = await world.answer(*answers)
    assert last.summary == "All told."
    await prune_storage(world.home)
    child = find_child(world.row, world.home, "explore-3")
    assert read_child_transcript(world.row, world.home, child)[-1].text == "three was told"


async def test_undo_takes_back_what_a_child_wrote(world: Place) -> None:
    written = calls(("write_file", {"path": "new.txt", "content": "new\n"}))
    crew = Crew(
        sends(("general", "one x")), {"text": "Written."}, one=[written, {"text": "wrote it"}]
    )
    await world.chat(crew, mode="auto")
    row = world.row
    [change] = read_file_changes(row, world.home)
    assert (change.path, change.by, change.step) == ("new.txt", "tool", 1)
    assert summarize_steps(row, world.home)[1].files == ("new.txt",)
    with open_leased_files(row, world.home) as files:
        pending = await files.plan_restore("undo")
        assert pending is not None
        await pending.apply()
    assert not (world.folder / "new.txt").exists()


async def test_new_message_leaves_open_children(world: Place) -> None:
    await world.chat(make_askers())
    world.provider.script([{"text": "Left."}])
    thread = world.row.thread_id
    end: Any = await end_of(world.runner.say(thread, "something else", abandon=True))
    assert end.summary == "Left."
    assert {status for _, status in world.read_statuses()} == {"killed"}
