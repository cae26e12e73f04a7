"""Conversations beyond the model's window, with a real server: summary, bridge, refusals, kills."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from provider import Provider, Request
from talk import Talk

from maxagent import Runner
from maxagent.config.errors import UsageError
from maxagent.sdk.events import (
    CacheReset,
    CardProposed,
    CompactionFinished,
    CompactionStarted,
    Completion,
    Event,
    Failure,
    Notice,
    TokenUsage,
)

WINDOW = 20_000
NOTE = "I look for the number. Next step: read on."
TASK = "Find the number in the files. Constraint of mine: never touch config.ini."
Answer = dict[str, Any]


def is_summary(body: dict[str, Any]) -> bool:
    return "is about to be shortened" in str(body["messages"][-1]["content"])


class Model:
    """Reads one file after another, then answers; its usage is counted from the request."""

    def __init__(self, files: int, last: str = "It is 42.") -> None:
        self.files, self.last = files, last
        self.bodies: list[dict[str, Any]] = []
        self.summary: Callable[[dict[str, Any]], Answer] = lambda _: {"text": NOTE}
        self.refused: Callable[[int, dict[str, Any]], Answer | None] = lambda size, body: None
        self.read = 0

    def __call__(self, request: Request) -> Answer:
        body, size = request.body, len(request.raw) // 4
        self.bodies.append(body)
        if refusal := self.refused(size, body):
            return refusal
        if is_summary(body):
            return {"usage": count(size), **self.summary(body)}
        return {"usage": count(size), **self.act()}

    def act(self) -> Answer:
        self.read += 1
        if self.read > self.files:
            self.read = 0
            return {"text": self.last}
        return {"tool_calls": [{"name": "read_file", "args": {"path": f"f{self.read}.txt"}}]}

    @property
    def sizes(self) -> list[int]:
        return [len(json.dumps(body, separators=(",", ":"))) // 4 for body in self.bodies]

    @property
    def summaries(self) -> list[dict[str, Any]]:
        return [body for body in self.bodies if is_summary(body)]


def count(size: int) -> dict[str, int]:
    return {"prompt_tokens": size, "completion_tokens": 20, "total_tokens": size + 20}


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncIterator[Runner]:
    home = tmp_path / "home"
    home.mkdir()
    limits = f"context_length: {WINDOW}, max_tokens: 2000"
    text = f"model: {{models: {{served: {{{limits}}}}}}}\n"
    (home / "config.yaml").write_text(text)
    async with Runner(home=home) as opened:
        yield opened


@pytest.fixture
def talk(tmp_path: Path, runner: Runner, provider: Provider, monkeypatch: Any) -> Talk:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    talk = Talk(tmp_path, runner)
    talk.options = {"model": "openai/served", "base_url": provider.url, "mode": "auto"}
    for number in range(1, 40):
        lines = (f"line {number}.{line} of a file that says nothing\n" for line in range(120))
        (talk.folder / f"f{number}.txt").write_text("".join(lines))
    return talk


def human_messages(body: dict[str, Any]) -> list[str]:
    return [str(each["content"]) for each in body["messages"] if each["role"] == "user"]


def find(events: list[Event], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


async def test_chat_goes_on_beyond_its_window(talk: Talk, provider: Provider) -> None:
    model = Model(files=25)
    provider.script(model)
    end = await talk.say(TASK)
    assert isinstance(end, Completion), end
    assert end.summary == "It is 42."
    assert max(model.sizes) < WINDOW
    finished = talk.heard(CompactionFinished)
    assert finished and len(talk.heard(CompactionStarted)) == len(finished)
    assert all(item.after < 0.8 * item.before for item in finished)
    assert {reset.reason for reset in talk.heard(CacheReset)} == {"compaction"}
    for body in model.bodies:
        if not is_summary(body):
            assert human_messages(body)[-1] == TASK
    for body in model.summaries:
        assert body.get("tool_choice") == "none" or "tools" not in body
    # the summaries' cost is counted, but they are no steps
    state = await talk.state()
    assert state["usage"]["requests"] == len(model.bodies)
    assert state["steps"] == len(model.bodies) - len(model.summaries)
    assert talk.heard(TokenUsage)[-1].requests == len(model.bodies)
    assert not any(NOTE in str(message.text) for message in state["messages"])


async def test_a_refused_request_is_compacted_and_repeated(talk: Talk, provider: Provider) -> None:
    model = Model(files=12)
    real = 12_000  # the server was started with less than the configuration says

    def refuse(size: int, body: dict[str, Any]) -> Answer | None:
        text = f"This model's maximum context length is {real} tokens"
        return {"status": 400, "body": {"error": {"message": text}}} if size > real else None

    model.refused = refuse
    provider.script(model)
    end = await talk.say(TASK)
    assert isinstance(end, Completion), end
    assert {item.reason for item in talk.heard(CompactionFinished)} >= {"overflow"}
    assert talk.heard(CompactionFinished)[0].by == "openai/served", "the summary's request fits"
    refused = sum(size > real for size in model.sizes)
    # what was learnt holds for the next message
    await talk.say("Once more.")
    assert sum(size > real for size in model.sizes) == refused == 1
    learnt = (talk.runner.home / "data" / "model-limits").read_text()
    assert learnt.startswith("12000 20000 openai/")


async def test_a_silent_overflow_counts_as_a_refusal(talk: Talk, provider: Provider) -> None:
    model = Model(files=3)
    seen = list[int]()

    def overflow(size: int, body: dict[str, Any]) -> Answer | None:
        seen.append(size)
        return {"text": "Hm.", "usage": count(WINDOW + 500)} if len(seen) == 3 else None

    model.refused = overflow
    provider.script(model)
    end = await talk.say(TASK)
    assert isinstance(end, Completion) and end.summary == "It is 42."
    assert [item.reason for item in talk.heard(CompactionFinished)] == ["overflow"]
    assert not any("Hm." in str(m.text) for m in (await talk.state())["messages"])


async def test_what_never_fits_ends_with_exit_code_3(talk: Talk, provider: Provider) -> None:
    body = {"error": {"message": "prompt is too long"}}
    provider.script([Model(files=9).act()] + [{"status": 400, "body": body}] * 9)
    end = await talk.say(TASK)
    assert isinstance(end, Failure)
    assert end.exit_code == 3
    requests = [request.body for request in provider.requests]
    assert sum(not is_summary(each) for each in requests) == 4  # one answered, three refused
    # there was little to leave out
    assert {item.by for item in talk.heard(CompactionFinished)} <= {"bridge", ""}


BROKEN = [
    {"text": ""},
    {"text": "It was", "finish_reason": "length"},
    {"text": "too long " * 20_000},
    {"text": "I go on.", "tool_calls": [{"name": "run_command", "args": {"command": "rm -rf ."}}]},
    {"status": 400, "body": {"error": {"message": "no"}}},
]


@pytest.mark.parametrize("broken", BROKEN, ids=["empty", "cut", "long", "calls", "refused"])
async def test_broken_summary_falls_back_to_the_bridge(
    talk: Talk, provider: Provider, broken: Answer, monkeypatch: Any
) -> None:
    monkeypatch.setenv("LLC_CONTEXT__PRUNE", "false")
    monkeypatch.setenv("LLC_MODEL__RETRY__INITIAL_DELAY", "0.01")
    model = Model(files=12)
    model.summary = lambda _: broken
    model.refused = lambda size, body: broken if "status" in broken and is_summary(body) else None
    provider.script(model)
    end = await talk.say(TASK)
    assert isinstance(end, Completion) and end.summary == "It is 42."
    finished = talk.heard(CompactionFinished)
    assert finished and {item.by for item in finished} == {"bridge"}
    assert "f1.txt" in finished[0].summary
    assert any("No summary by" in item.text for item in talk.heard(Notice))


async def test_the_bridge_asks_no_model(talk: Talk, provider: Provider, monkeypatch: Any) -> None:
    monkeypatch.setenv("LLC_CONTEXT__MODEL", "none")
    model = Model(files=25)
    provider.script(model)
    end = await talk.say(TASK)
    assert isinstance(end, Completion) and end.summary == "It is 42."
    assert talk.heard(CompactionFinished) and not model.summaries
    assert max(model.sizes) < WINDOW


async def test_a_message_larger_than_the_room_is_kept_as_an_output(
    talk: Talk, provider: Provider
) -> None:
    model = Model(files=2)
    provider.script(model)
    log = "\n".join(f"{number} nothing of interest in this line" for number in range(6_000))
    end = await talk.say(f"Read this log:\n{log}\nWhat is wrong?")
    assert isinstance(end, Completion) and end.summary == "It is 42."
    assert max(model.sizes) < WINDOW
    newest = human_messages(model.bodies[-1])[-1]
    assert newest.startswith("Read this log:") and newest.endswith("What is wrong?")
    [output] = (talk.runner.home / "data" / "outputs" / talk.thread).glob("message-*.txt")
    assert f'command_output(id="{output.stem}")' in newest
    assert "5999 nothing" in output.read_text()


async def test_compact_and_uncompact_take_no_model_turn(talk: Talk, provider: Provider) -> None:
    model = Model(files=4)
    provider.script(model)
    await talk.say(TASK)
    before = model.bodies[-1]["messages"]
    events = [event async for event in talk.runner.compact(talk.thread, "the number")]
    [finished] = find(events, CompactionFinished)
    assert (finished.reason, finished.by) == ("user", "openai/served")
    assert finished.after < finished.before
    assert is_summary(model.bodies[-1])
    assert "above all: the number" in model.bodies[-1]["messages"][-1]["content"]
    state = await talk.state()
    assert (state["outcome"], state["compaction"]) == ("answered", None)
    assert talk.runner.threads.get(talk.thread).status == "idle"
    turns = len(model.bodies)
    model.read = 4  # it answers at once
    await talk.say("And now?")
    assert len(model.bodies) == turns + 1
    assert NOTE in str(model.bodies[-1]["messages"])
    assert await talk.runner.uncompact(talk.thread)
    model.read = 4
    await talk.say("Once more.")
    assert model.bodies[-1]["messages"][: len(before)] == before
    assert not await talk.runner.uncompact(talk.thread)


async def test_what_does_not_fit_stays_compacted(talk: Talk, provider: Provider) -> None:
    model = Model(files=20)
    provider.script(model)
    await talk.say(TASK)
    cuts = (await talk.state())["cuts"]
    with pytest.raises(UsageError, match="does not fit: .* tokens, the limit is 17,000"):
        await talk.runner.uncompact(talk.thread)
    assert cuts and (await talk.state())["cuts"] == cuts


async def test_a_stopped_compaction_can_be_repeated(talk: Talk, provider: Provider) -> None:
    model = Model(files=4)
    provider.script(model)
    await talk.say(TASK)
    async with aclosing(talk.runner.compact(talk.thread)) as events:
        async for event in events:
            assert isinstance(event, CompactionStarted)
            break
    assert talk.runner.threads.get(talk.thread).status == "idle"
    assert not (await talk.state()).get("cuts")
    again = [event async for event in talk.runner.compact(talk.thread)]
    assert len(find(again, CompactionFinished)) == 1
    assert talk.runner.threads.get(talk.thread).status == "idle"
    model.read = 4
    await talk.say("And now?")
    assert NOTE in str(model.bodies[-1]["messages"])


async def test_an_open_question_is_not_compacted(talk: Talk, provider: Provider) -> None:
    call = {"tool_calls": [{"name": "run_command", "args": {"command": "rm f1.txt"}}]}
    provider.script([call])
    talk.options["mode"] = "ask"
    await talk.say("Delete it.")
    with pytest.raises(UsageError):
        _ = [event async for event in talk.runner.compact(talk.thread)]
    with pytest.raises(UsageError):
        await talk.runner.uncompact(talk.thread)


async def test_task_and_edit_compact_too(talk: Talk, provider: Provider, runner: Runner) -> None:
    model = Model(files=20, last="f1.txt is to be changed.")
    provider.script(model)
    options: Any = {**talk.options, "skip_tests": True, "apply": True}
    for events in (
        runner.task(TASK, folder=talk.folder, options=options),
        runner.edit(TASK, files=["f1.txt"], folder=talk.folder, options=options),
    ):
        seen = [event async for event in events]
        assert isinstance(seen[-1], Completion), seen[-1]
        finished = find(seen, CompactionFinished)
        expected = {"architect", "coder"} if seen[-1].graph == "task" else {"editor"}
        assert {item.conversation for item in finished} == expected
    assert max(model.sizes) < WINDOW


async def test_a_summary_proposes_cards(talk: Talk, provider: Provider) -> None:
    model = Model(files=25)
    secret = "sk-" + "a1B2" * 10
    model.summary = lambda _: {
        "text": f"{NOTE}\n\nCARDS\n- fact: The numbers count from zero.\n- code: key {secret}"
    }
    provider.script(model)
    end = await talk.say(TASK)
    assert isinstance(end, Completion), end
    proposed = [event.card["content"] for event in talk.heard(CardProposed)]
    assert proposed == ["The numbers count from zero."]
    finished = talk.heard(CompactionFinished)
    assert finished and all("CARDS" not in event.summary for event in finished)
