from pathlib import Path
from typing import Any

import pytest
from provider import Provider

from maxagent import Runner, trust
from maxagent.nodes.turn.todo_notes import STALE_AFTER, has_question
from maxagent.sdk.events import Completion, Notice


@pytest.mark.parametrize(
    "answer",
    [
        "Which of the two do you prefer?",
        "The plan is ready.\n\n**Shall I begin?**",
        "Which database?\n\n- SQLite\n- Postgres\n- none",
        "I stopped here. Should I go on (y/n)? Nothing is changed yet.",
        "要我继续吗？",
        "可以开始了吗",
        "测试写好了。请确认是否删除旧文件。",
        "¿Sigo con el segundo paso?",
        "هل أتابع؟",
        "Two ways are possible. Please tell me which one to take.",
        "Let me know which of them is right.",
        "I am waiting for your approval before the migration.",
        'It says "done". Is that what you wanted?"',
        "Veux-tu que je continue ?",
        "1. Keep the name\n2. Change it\n\nPlease choose.",
    ],
)
def test_answer_that_asks_the_user_is_recognized(answer: str) -> None:
    assert has_question(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "All done.",
        "",
        "I wrote `a ? b : c` instead of the branch.",
        "It was the route `/items?page=2`; see https://example.com/a?b=c.",
        "```ts\nlet name: string? // why?\n```\nThe type is optional now.",
        "## What changed?\n\nThe parser reads both forms.",
        "> Can you repair it?\n\nIt is repaired.",
        "Let me know if something breaks.",
        "Why did it fail? " + "\n".join(f"Reason {n}." for n in range(20)),
        "The function asks for your name and prints it.",
    ],
)
def test_answer_that_reports_asks_nothing(answer: str) -> None:
    assert not has_question(answer)


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

    def count(self, text: str) -> int:
        """How often the words stand in the last request."""
        return self.provider.requests[-1].raw.decode().count(text)


@pytest.fixture
def world(tmp_path: Path, provider: Provider) -> Place:
    return Place(tmp_path, provider)


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args}]}


def find_notices(events: list[Any]) -> list[str]:
    """The notices about the list."""
    notices = [event.text for event in events if isinstance(event, Notice)]
    return [notice for notice in notices if "open steps" in notice]


async def test_open_tasks_are_asked_about_once(world: Place) -> None:
    world.provider.script(
        [
            call("todowrite", **OPEN),
            {"text": "All done."},
            {"text": "They wait for you."},
        ]
    )
    events = await world.chat("Go.")
    assert len(world.provider.requests) == 3
    assert world.count("The todo list has open tasks") == 1
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
async def test_answer_with_a_question_goes_to_the_user(world: Place, question: str) -> None:
    world.provider.script([call("todowrite", **OPEN), {"text": question}])
    events = await world.chat("Go.")
    assert len(world.provider.requests) == 2
    assert find_notices(events) == []
    assert events[-1].summary == question


@pytest.mark.parametrize("action", ["mark_completed", "none"])
async def test_finished_or_untouched_lists_are_not(world: Place, action: str) -> None:
    used = [call("todowrite", **OPEN), call("todowrite", **DONE)] if action != "none" else []
    world.provider.script([*used, {"text": "Done."}])
    await world.chat("Go.")
    assert len(world.provider.requests) == len(used) + 1


async def test_a_later_message_is_not_held_up(world: Place) -> None:
    world.provider.script(
        [
            call("todowrite", **OPEN),
            {"text": "Some."},
            {"text": "They wait."},
            {"text": "It is noon."},
        ]
    )
    await world.chat("Go.", "What time is it?")
    assert len(world.provider.requests) == 4


async def test_a_stale_list_is_shown_once_in_ten_steps(world: Place) -> None:
    reads = [call("read_file", path=f"{number}.txt") for number in range(STALE_AFTER + 2)]
    done = [call("todowrite", **DONE), {"text": "Done."}]
    world.provider.script([call("todowrite", **OPEN), *reads, *done])
    await world.chat("Go.")
    counts = [request.raw.count(b"has not changed for") for request in world.provider.requests]
    assert counts == [0] * (STALE_AFTER + 1) + [1] * 4
