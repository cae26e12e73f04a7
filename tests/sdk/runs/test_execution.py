"""Messages sent while a model works, over a real server: once in the thread, or in the queue."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from provider import Provider, Request

from maxagent import Runner, UsageError, trust
from maxagent.memory.threads.index import ThreadIndex
from maxagent.nodes.recovery.partial_answer import INTERRUPTED
from maxagent.nodes.run.message_history import build_role_message
from maxagent.sdk.events import (
    Completion,
    Event,
    Failure,
    Output,
    Retrying,
    Steered,
    Thinking,
    TokenUsage,
    ToolCall,
)
from maxagent.sdk.graph_registry import CHAT, compile_graph
from maxagent.sdk.runs.execution import PartialAnswer
from maxagent.sdk.threads.steps import read_thread_branches
from maxagent.sdk.threads.time_travel import copy_thread, rewind_talk
from maxagent.sdk.threads.transcript import read_transcript
from maxagent.sdk.transfer.exporter import export_thread
from maxagent.sdk.transfer.importer import import_thread

LOOKS = {"tool_calls": [{"name": "list_files", "args": {}}]}
KEY = "sk-proj-" + "a1B2c3D4" * 6

HALF = {"thinking": "Thought. ", "text": "Half of it, and more.", "portion": 9, "hang_after": 3}
"""Thinking, `Half of i`, silence."""
CALLS = {
    "text": "I run it.",
    "tool_calls": [{"name": "run_command", "args": {"command": "touch made"}}],
    "hang_after": 4,
}
"""The words, a call's name and half of its arguments, silence."""
LOOKS_WITH_TEXT = {"text": "I look.", "tool_calls": [{"name": "list_files", "args": {}}]}


class Stopped:
    """Threads of one runner with the model server, stopped at words."""

    def __init__(self, runner: Runner, folder: Path, provider: Provider) -> None:
        self.runner, self.folder, self.provider = runner, folder, provider
        self.options: Any = {"model": "openai/served", "base_url": provider.url, "mode": "auto"}
        self.thread = ""

    def chat(self) -> AsyncGenerator[Event]:
        return self.runner.chat("Hello", folder=self.folder, options=self.options)

    async def at(
        self,
        words: str,
        events: AsyncGenerator[Event],
        *,
        close: bool = False,
        late: bool = False,
    ) -> None:
        """Let it come to these words, and stop it there: close the stream, or cancel its reader.

        `late`: as the time is up.
        """
        seen = asyncio.Event()

        async def read() -> None:
            text = ""
            async with aclosing(events):
                async for event in events:
                    self.thread = getattr(event, "thread_id", self.thread)
                    text += event.text if isinstance(event, Output) else ""
                    if words in text:
                        seen.set()
                        if close:
                            return

        reading = asyncio.ensure_future(read())
        async with asyncio.timeout(60):
            await seen.wait()
        if late:
            self.runner.stop(reason="timeout")
        if not close:
            reading.cancel()
        await asyncio.wait([reading])
        assert reading.cancelled() is not close

    async def end(self, events: AsyncGenerator[Event]) -> str:
        last = [event async for event in events][-1]
        return getattr(last, "summary", "") or repr(last)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """Who said what in the last request, without the system's words."""
        messages = self.provider.requests[-1].body["messages"]
        assert messages[-1]["role"] in ("user", "tool")
        return [
            (entry["role"], entry["content"]) for entry in messages if entry["role"] != "system"
        ]

    @property
    def story(self) -> list[tuple[str, str]]:
        row = self.runner.threads.get(self.thread)
        return [(entry.kind, entry.text) for entry in read_transcript(row, self.runner.home)]


USED: dict[str, Any] = {"input": 1, "output": 1, "cached": 0, "cost": None}
SHOWN: dict[str, Any] = {"window": 1, "context_length": 9}


def complete(requests: int) -> TokenUsage:
    return TokenUsage(requests=requests, **USED, **SHOWN)


@pytest.fixture
async def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runner]:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    (tmp_path / "project").mkdir()
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def options(provider: Provider) -> Any:
    return {"model": "openai/served", "base_url": provider.url, "mode": "auto"}


async def follow(
    runner: Runner, events: AsyncGenerator[Event], *arguments: str, at: str = "tool_call"
) -> list[Event]:
    """Follow a run to its end; send these words at the first event of a kind."""
    seen: list[Event] = []
    async for event in events:
        if event.type == at and at not in {earlier.type for earlier in seen}:
            for text in arguments:
                runner.steer(text)
        seen.append(event)
    return seen


def read_words(request: Request) -> list[str]:
    """Kind or text of the messages of a request, without its system prompt."""
    messages = request.body["messages"][1:]
    return [
        message["content"] if message["role"] == "user" else message["role"] for message in messages
    ]


@pytest.mark.parametrize("plan", [False, True])
async def test_messages_reach_the_model_between_calls(
    plan: bool, runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([LOOKS, LOOKS, {"text": "Tabs."}])
    chat = runner.chat("indent", folder=tmp_path / "project", options={**options, "plan": plan})
    events = await follow(runner, chat, "use tabs", f"my key is {KEY}")
    steered = [event for event in events if isinstance(event, Steered)]
    assert [event.text[:9] for event in steered] == ["use tabs", "my key is"]
    first, second, third = map(read_words, provider.requests)
    assert second[: len(first)] == first and second[len(first) :][:3] == [
        "assistant", "tool", "use tabs",
    ]  # fmt: skip
    assert third[: len(second)] == second and third[len(second) :] == ["assistant", "tool"]
    assert b"sk-proj" not in provider.requests[-1].raw
    assert isinstance(events[-1], Completion) and runner.steering.take_unsent() == []


async def test_thread_shows_and_finds_the_message(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([LOOKS, {"text": "Tabs."}])
    await follow(runner, runner.chat("indent", folder=tmp_path / "project", options=options),
                 "use tabs")  # fmt: skip
    [row] = ThreadIndex(runner.home).list()
    output = [(item.kind, item.text) for item in read_transcript(row, runner.home) if item.text]
    assert output == [("human", "indent"), ("human", "use tabs"), ("answer", "Tabs.")]
    assert [result.thread_id for result in ThreadIndex(runner.home).search("use tabs")] == [
        row.thread_id
    ]


async def test_message_after_the_last_call_is_unsent(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([{"text": "Done."}, LOOKS, {"text": "Never seen."}])
    folder = tmp_path / "project"
    events = await follow(runner, runner.chat("hi", folder=folder, options=options), "late",
                          at="output")  # fmt: skip
    assert [message.text for message in runner.steering.take_unsent()] == ["late"]
    with pytest.raises(UsageError):
        runner.steer("nobody runs")
    thread = events[-1].thread_id  # type: ignore[union-attr]
    await follow(runner, runner.say(thread, "more"))
    assert read_words(provider.requests[-1])[-1] == "tool"


async def test_failed_request_keeps_the_message_once(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([LOOKS, {"status": 401, "body": "no such key"}, {"text": "Tabs."}])
    chat = runner.chat("indent", folder=tmp_path / "project", options=options)
    events = await follow(runner, chat, "use tabs")
    assert isinstance(events[-1], Failure) and runner.steering.take_unsent() == []
    await follow(runner, runner.resume(events[-1].thread_id))
    assert read_words(provider.requests[-1]).count("use tabs") == 1
    assert provider.requests[-1].raw == provider.requests[-2].raw


async def test_a_stopped_run_leaves_it_in_one_place(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([LOOKS, {"text": "Tabs."}])
    thread = ""
    async for event in runner.chat("indent", folder=tmp_path / "project", options=options):
        if isinstance(event, ToolCall):
            runner.steer("use tabs")
            runner.stop()
        thread = getattr(event, "thread_id", thread)
    assert [message.text for message in runner.steering.take_unsent()] == ["use tabs"]


async def test_roles_of_a_task_read_it_too(
    runner: Runner, provider: Provider, options: Any, tmp_path: Path
) -> None:
    provider.script([{"text": "SMALL: a.txt"}, LOOKS, {"text": "Done."}])
    task = runner.task(
        "indent", folder=tmp_path / "project", options={**options, "skip_tests": True}
    )
    await follow(runner, task, "use tabs")
    assert read_words(provider.requests[-1])[-3:] == ["assistant", "tool", "use tabs"]


@pytest.fixture
async def stopped(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Stopped]:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    trust(folder, home)
    async with Runner(home=home) as runner:
        yield Stopped(runner, folder, provider)


@pytest.mark.parametrize("close", [True, False], ids=["closed", "cancelled"])
async def test_model_reads_its_partial_answer_once(stopped: Stopped, close: bool) -> None:
    stopped.provider.script([HALF, {"text": "Two."}, {"text": "Two."}, {"text": "Three."}])
    await stopped.at("Half of i", stopped.chat(), close=close)
    row = stopped.runner.threads.get(stopped.thread)
    assert (row.status, row.steps) == ("interrupted", 0)
    assert stopped.story == [("human", "Hello"), ("interrupted", "Half of i")]
    assert stopped.runner.threads.search("half OF i")

    half = [("user", "Hello"), ("assistant", "Half of i"), ("user", INTERRUPTED)]
    forked = await copy_thread(row, stopped.runner.home)
    assert (forked.status, forked.parent_step) == ("interrupted", 0)
    for thread in (forked.thread_id, stopped.thread):
        assert await stopped.end(stopped.runner.say(thread, "And now?")) == "Two."
        assert stopped.asked == [*half, ("user", "And now?")]
    await stopped.end(stopped.runner.say(stopped.thread, "And on?"))
    assert stopped.runner.threads.get(stopped.thread).steps == 2
    assert stopped.asked[3:] == [("user", "And now?"), ("assistant", "Two."), ("user", "And on?")]
    assert [kind for kind, _ in stopped.story[:4]] == ["human", "interrupted", "human", "answer"]


async def test_resumed_turn_sends_the_same_request_again(stopped: Stopped) -> None:
    provider = stopped.provider
    provider.script([HALF, HALF, {"text": "Whole."}, {"text": "Two."}])
    await stopped.at("Half", stopped.chat())
    await stopped.at("Half", stopped.runner.resume(stopped.thread))
    assert await stopped.end(stopped.runner.resume(stopped.thread)) == "Whole."
    assert provider.requests[0].raw == provider.requests[1].raw == provider.requests[2].raw
    assert [kind for kind, _ in stopped.story] == ["human", "interrupted", "interrupted", "answer"]
    await stopped.end(stopped.runner.say(stopped.thread, "And now?"))
    assert stopped.asked == [("user", "Hello"), ("assistant", "Whole."), ("user", "And now?")]


async def test_half_a_call_is_neither_kept_nor_run(stopped: Stopped) -> None:
    stopped.provider.script([LOOKS_WITH_TEXT, CALLS, {"text": "Two."}])
    await stopped.at("I run it.", stopped.chat(), late=True)
    assert stopped.runner.threads.get(stopped.thread).status == "limit"
    await stopped.end(stopped.runner.say(stopped.thread, "Do not"))
    assert [role for role, _ in stopped.asked] == [
        *("user", "assistant", "tool", "assistant", "user", "user")
    ]
    assert [words for kind, words in stopped.story if kind == "interrupted"] == ["I run it."]
    messages = stopped.provider.requests[-1].body["messages"]
    assert sum("tool_calls" in entry for entry in messages) == 1
    assert not (stopped.folder / "made").exists()


async def test_it_goes_with_an_exported_thread(stopped: Stopped, tmp_path: Path) -> None:
    stopped.provider.script([HALF, {"text": "Two."}])
    await stopped.at("Half", stopped.chat())
    story, row = stopped.story, stopped.runner.threads.get(stopped.thread)
    file, home = tmp_path / "thread.zip", tmp_path / "elsewhere"
    file.write_bytes(export_thread(row, stopped.runner.home).content)
    trust(stopped.folder, home)
    await import_thread(file, stopped.folder, home)
    async with Runner(home=home) as stopped.runner:
        assert stopped.story == story
        said = stopped.runner.say(stopped.thread, "And now?", options=stopped.options)
        assert await stopped.end(said) == "Two."
        assert stopped.asked[1:3] == [("assistant", "Half of i"), ("user", INTERRUPTED)]


async def test_rewind_before_message_drops_partial_answer(
    stopped: Stopped,
) -> None:
    stopped.provider.script([{"text": "One."}, HALF, {"text": "Two."}])
    await stopped.end(stopped.chat())
    stopped.thread = stopped.runner.threads.list()[0].thread_id
    await stopped.at("Half", stopped.runner.say(stopped.thread, "More"))
    row = stopped.runner.threads.get(stopped.thread)
    before = read_thread_branches(row, stopped.runner.home).messages[-1].before
    await rewind_talk(row, stopped.runner.home, before)
    await stopped.end(stopped.runner.say(stopped.thread, "Instead", abandon=True))
    assert stopped.asked == [("user", "Hello"), ("assistant", "One."), ("user", "Instead")]


async def test_task_keeps_partial_answer_and_role_restarts(stopped: Stopped) -> None:
    provider = stopped.provider
    provider.script([HALF, {"text": "SMALL\nnothing"}, {"text": "Done."}])
    options = {**stopped.options, "apply": True, "skip_tests": True}
    await stopped.at("Half", stopped.runner.task("Try", folder=stopped.folder, options=options))
    assert stopped.story == [("human", "Try"), ("interrupted", "Half of i")]
    await stopped.end(stopped.runner.resume(stopped.thread))
    assert provider.requests[0].raw == provider.requests[1].raw
    assert not any(b"Half of i" in request.raw for request in provider.requests)


async def at_the_model() -> tuple[Any, Any]:
    """A conversation whose turn stands before its answer, and the place to look it up."""
    graph, config = compile_graph(CHAT, InMemorySaver()), {"configurable": {"thread_id": "t"}}
    stored = {"messages": [build_role_message("build", "Hi")], "usage": {"requests": 1, **USED}}
    await graph.aupdate_state(config, Command(goto="build", update=stored), as_node="compact")
    return graph, config


def heard(events: list[Event]) -> PartialAnswer:
    half = PartialAnswer()
    for event in events:
        half.add_event(event)
    return half


@pytest.mark.parametrize(
    ("events", "kept"),
    [
        ([Thinking("t"), Output("a"), Output("b")], "ab"),
        ([Output("a"), Retrying("r", 1.0, 1)], ""),
        ([Output("a"), Retrying("r", 1.0, 1), Output("b")], "b"),
        ([Output("a"), Failure("the provider broke off", "", 1)], ""),  # nobody stopped it
        ([Output(" \n")], ""),
        ([Output("a"), complete(1)], ""),  # its step is in the thread
        ([Output("a"), complete(2)], "a"),  # it was complete, its step was not
        ([Output("a"), complete(1), complete(2)], ""),
        ([Output("a"), complete(1), Output("b")], "b"),
        ([], ""),
    ],
)
async def test_answer_missing_in_thread_is_kept(events: list[Event], kept: str) -> None:
    graph, config = await at_the_model()
    await heard(events).save_to_thread(graph, "t")
    state = await graph.aget_state(config)
    assert [entry.text for entry in state.values["messages"][1:]] == ([kept] if kept else [])
    assert state.next == ("build",)


async def test_cancellation_takes_effect_after_answer_is_kept() -> None:
    graph, config = await at_the_model()
    keeping = asyncio.ensure_future(heard([Output("a")]).save_to_thread(graph, "t"))
    for _ in range(2):
        await asyncio.sleep(0)  # it has begun
        keeping.cancel()
    await asyncio.wait([keeping])
    assert keeping.cancelled()
    assert (await graph.aget_state(config)).values["messages"][-1].text == "a"


async def test_a_thread_that_is_no_more_keeps_nothing() -> None:
    graph, _ = await at_the_model()
    await heard([Output("a")]).save_to_thread(graph, "another")
    assert not (await graph.aget_state({"configurable": {"thread_id": "another"}})).values
