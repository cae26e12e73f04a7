from pathlib import Path
from typing import Any

import pytest
from provider import Provider

from maxagent import Runner, trust
from maxagent.nodes.turn.todo_notes import STALE_AFTER
from maxagent.sdk.events import Completion, Notice

OPEN = {"todos": [{"content": "write the tests"}, {"content": "run them"}]}
DONE = {"todos": ["1", "2"], "action": "mark_completed"}


class Place:
    def __init__(self, tmp_path: Path, provider: Provider) -> None:
        self.home, self.folder, self.provider = tmp_path / "home", tmp_path / "project", provider
        self.folder.mkdir()
        for number in range(STALE_AFTER + 2):
            (self.folder / f"{number}.txt").write_text(f"{number}\n")
        trust(self.folder, self.home)

    async def chat(self, *messages: str) -> list[Any]:
        options: Any = {"model": "openai/served", "base_url": self.provider.url, "mode": "auto"}
        async with Runner(home=self.home) as runner:
            first = runner.chat(messages[0], folder=self.folder, options=options)
            events = [event async for event in first]
            for more in messages[1:]:
                events += [event async for event in runner.say(events[0].thread_id, more)]
        return events

    def count(self, words: str) -> int:
        """How often the words stand in the last request."""
        return self.provider.requests[-1].raw.decode().count(words)


@pytest.fixture
def place(tmp_path: Path, provider: Provider) -> Place:
    return Place(tmp_path, provider)


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


def find_notices(events: list[Any]) -> list[str]:
    """The notices about the list."""
    notices = [event.text for event in events if isinstance(event, Notice)]
    return [notice for notice in notices if "todo list" in notice]


async def test_open_tasks_are_asked_about_once(place: Place) -> None:
    place.provider.script(
        [
            call("todowrite", **OPEN),
            {"text": "All done."},
            {"text": "They wait for you."},
        ]
    )
    events = await place.chat("Go.")
    assert len(place.provider.requests) == 3
    assert place.count("The todo list has open tasks") == 1
    assert isinstance(events[-1], Completion)
    assert events[-1].summary == "They wait for you."
    (notice,) = find_notices(events)
    assert "`write the tests`, `run them`" in notice


@pytest.mark.parametrize(
    "question",
    [
        "Shall I write them now?",
        "Which first?\n- unit\n- e2e",
        "先写哪一个？",
        "Please choose one.",
    ],
)
async def test_answer_with_a_question_goes_to_the_user(place: Place, question: str) -> None:
    place.provider.script([call("todowrite", **OPEN), {"text": question}])
    events = await place.chat("Go.")
    assert len(place.provider.requests) == 2
    assert find_notices(events) == []
    assert events[-1].summary == question


@pytest.mark.parametrize("action", ["mark_completed", "none"])
async def test_finished_or_untouched_lists_are_not(place: Place, action: str) -> None:
    used = [call("todowrite", **OPEN), call("todowrite", **DONE)] if action != "none" else []
    place.provider.script([*used, {"text": "Done."}])
    await place.chat("Go.")
    assert len(place.provider.requests) == len(used) + 1


async def test_a_later_message_is_not_held_up(place: Place) -> None:
    place.provider.script(
        [
            call("todowrite", **OPEN),
            {"text": "Some."},
            {"text": "They wait."},
            {"text": "It is noon."},
        ]
    )
    await place.chat("Go.", "What time is it?")
    assert len(place.provider.requests) == 4


async def test_a_stale_list_is_shown_once_in_ten_steps(place: Place) -> None:
    reads = [call("read_file", path=f"{number}.txt") for number in range(STALE_AFTER + 2)]
    done = [call("todowrite", **DONE), {"text": "Done."}]
    place.provider.script([call("todowrite", **OPEN), *reads, *done])
    await place.chat("Go.")
    told = [request.raw.count(b"has not changed for") for request in place.provider.requests]
    assert told == [0] * (STALE_AFTER + 1) + [1] * 4
