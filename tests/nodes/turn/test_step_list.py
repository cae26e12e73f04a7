import json
from pathlib import Path
from typing import Any

import pytest
from provider import Provider

from maxagent import Runner, trust
from maxagent.config import paths
from maxagent.nodes.turn.step_list import parse_steps
from maxagent.sdk.events import Notice, Todos

LIST = "- Read a.txt (read_file)\n- Write b.txt (write_file)"
READ = {"name": "read_file", "args": {"path": "a.txt"}}


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        (LIST, ["Read a.txt (read_file)", "Write b.txt (write_file)"]),
        ("Here is my plan:\n\n1. Read\n2) Write\n\nShall I?", ["Read", "Write"]),
        ("```\n* [ ] Read\n```", ["Read"]),
        ("NONE", []),
        ("", []),
        ("I will just do it.", []),
        ("- one\n" * 30, ["one"] * 12),
    ],
)
def test_steps_are_the_items_of_a_list(answer: str, steps: list[str]) -> None:
    assert [todo["content"] for todo in parse_steps(answer)] == steps
    assert {todo["status"] for todo in parse_steps(answer)} <= {"pending"}


class Place:
    def __init__(self, tmp_path: Path, provider: Provider, *, planner: bool = True) -> None:
        self.home, self.folder, self.provider = tmp_path / "home", tmp_path / "project", provider
        self.folder.mkdir()
        (self.folder / "a.txt").write_text("a\n")
        file = paths.locate_user_config(self.home)
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"model": {"enable_tool_planner": planner}}))
        trust(self.folder, self.home)

    async def chat(self, *texts: str) -> list[Any]:
        options: Any = {"model": "openai/served", "base_url": self.provider.url, "mode": "auto"}
        async with Runner(home=self.home) as runner:
            events = [e async for e in runner.chat(texts[0], folder=self.folder, options=options)]
            for more in texts[1:]:
                events += [e async for e in runner.say(events[0].thread_id, more)]
        return events


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")


async def test_steps_become_the_todo_list_once(tmp_path: Path, provider: Provider) -> None:
    provider.script(
        [
            {"text": LIST},
            {"tool_calls": [READ]},
            {"text": "Done."},
            {"text": "NONE"},
            {"text": "Hi."},
        ]
    )
    events = await Place(tmp_path, provider).chat("copy it", "thanks")
    plan, first, second, again, last = (request.whole for request in provider.requests)
    assert plan["tools"] == first["tools"] == last["tools"]
    assert plan["tool_choice"] == again["tool_choice"] == "none" and "tool_choice" not in first
    # the prefix of the conversation is that of the request for the plan
    assert first["messages"][: len(plan["messages"]) - 1] == plan["messages"][:-1]
    assert "1. [ ] Read a.txt (read_file)" in first["messages"][-1]["content"]
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert again["messages"][:-1] == last["messages"]
    [todos] = [event for event in events if isinstance(event, Todos)]
    assert [item["content"] for item in todos.items][0] == "Read a.txt (read_file)"
    answers = [event.summary for event in events if event.type == "completion"]
    assert answers == ["Done.", "Hi."]
    assert events[-1].usage["requests"] == 5


async def test_failed_planning_is_a_notice(tmp_path: Path, provider: Provider) -> None:
    provider.script([{"status": 400, "body": "no such choice"}, {"text": "Done."}])
    events = await Place(tmp_path, provider).chat("copy it")
    assert events[-1].summary == "Done."
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert any("the steps could not be planned" in notice for notice in notices)


async def test_without_the_setting_nothing_is_planned(tmp_path: Path, provider: Provider) -> None:
    provider.script([{"text": "Done."}])
    events = await Place(tmp_path, provider, planner=False).chat("copy it")
    assert events[-1].summary == "Done." and len(provider.requests) == 1
