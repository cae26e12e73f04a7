"""Conversations beyond the model's window, with a real server: summary, bridge, refusals, kills."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from provider import Provider, Request
from talk import Talk

from maxagent import Runner
from maxagent.sdk.events import (
    CacheReset,
    CompactionFinished,
    CompactionStarted,
    Completion,
    Event,
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
    assert all(one.after < 0.8 * one.before for one in finished)
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
