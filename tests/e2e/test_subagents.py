"""Sub-agents over HTTP: in parallel, one writer at a time, limits, questions, and after SIGKILL."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from crew import Crew, calls, sends, text_of
from provider import Provider, Request

from maxagent import Answer, Runner, trust
from maxagent.config import paths
from maxagent.memory.threads.sub_runs import SubRuns
from maxagent.sdk.events import Event

LOOK = ("grep", {"regex": "x"})
WRITES = ("write_file", {"path": "new.txt", "content": "new\n"})


class Place:
    """A project, a home and one thread in it."""

    def __init__(self, folder: Path, provider: Provider, runner: Runner) -> None:
        self.folder, self.provider, self.runner = folder / "project", provider, runner
        self.folder.mkdir()
        (self.folder / "a.txt").write_text("x\n")
        trust(self.folder, runner.home)
        self.thread = ""
        self.events: list[Event] = []

    async def chat(self, crew: Crew, **options: Any) -> Any:
        """Begin a conversation; the last event."""
        self.provider.script(crew)
        chosen: Any = {"model": "openai/served", "base_url": self.provider.url, **options}
        return await self._watch(self.runner.chat("go", folder=self.folder, options=chosen))

    async def answer(self, **answer: Any) -> Any:
        """Answer the open question; the last event."""
        return await self._watch(self.runner.resume(self.thread, Answer(**answer)))

    def told(self, kind: str) -> list[Any]:
        """The events of that kind in the last run."""
        return [event for event in self.events if event.type == kind]

    @property
    def statuses(self) -> list[tuple[str, str]]:
        """The children on record, with their status."""
        rows = SubRuns(paths.locate_database(self.runner.home)).list_sub_runs(self.thread)
        return [(row.sub_id, row.status) for row in rows]

    async def _watch(self, events: Any) -> Event:
        self.events = [event async for event in events]
        self.thread = self.thread or getattr(self.events[0], "thread_id", "")
        return self.events[-1]


@pytest.fixture
async def place(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    async with Runner(home=tmp_path / "home") as runner:
        yield Place(tmp_path, provider, runner)


def last_of(request: Request) -> str:
    return text_of(request.body["messages"][-1])


async def test_three_children_work_at_once_and_report(place: Place) -> None:
    together = threading.Barrier(3)

    def explorer(request: Request) -> Any:
        if request.body["messages"][-1]["role"] == "tool":
            return {"text": f"found by {text_of(request.body['messages'][1])}"}
        together.wait(30)
        return calls(LOOK)

    crew = Crew(
        sends(("explore", "one x"), ("explore", "two x"), ("explore", "three x")),
        {"text": "All found."},
        one=explorer, two=explorer, three=explorer,
    )  # fmt: skip
    end = await place.chat(crew)
    assert (end.summary, end.usage["requests"]) == ("All found.", 2 + 3 * 2)
    heads = [f"[explore-{number}: done]" for number in (1, 2, 3)]
    told = last_of(crew.requests["parent"][1])
    assert [told.index(head) for head in heads] == sorted(told.index(head) for head in heads)
    assert place.statuses == [(f"explore-{number}", "done") for number in (1, 2, 3)]
    assert {event.agent for event in place.told("tool_result")} == {"", *dict(place.statuses)}
    assert [event.sub_id for event in place.told("subagent_started")] == [*dict(place.statuses)]
