"""Sub-agents over HTTP: in parallel, one writer at a time, limits, questions, and after SIGKILL."""

import json
import signal
import subprocess
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from crew import Crew, calls, sends, text_of
from program import Program
from provider import Answer as Turn
from provider import Provider, Request

from maxagent import Answer, Runner, trust
from maxagent.config import paths
from maxagent.memory.threads.sub_runs import SubRuns
from maxagent.memory.worktrees.record import list_containers
from maxagent.sdk.events import Event

SLOW = {"command": "echo begins >> log.txt; echo begun; sleep 60; echo ends >> log.txt"}
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

    async def say(self, text: str) -> Any:
        """Go on without what is open; the last event."""
        return await self._watch(self.runner.say(self.thread, text, abandon=True))

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
async def world(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    async with Runner(home=tmp_path / "home") as runner:
        yield Place(tmp_path, provider, runner)


def last_of(request: Request) -> str:
    return text_of(request.body["messages"][-1])


async def test_three_children_work_at_once_and_report(world: Place) -> None:
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
    end = await world.chat(crew)
    assert (end.summary, end.usage["requests"]) == ("All found.", 2 + 3 * 2)
    heads = [f"[explore-{number}: done]" for number in (1, 2, 3)]
    message = last_of(crew.requests["parent"][1])
    assert [message.index(head) for head in heads] == sorted(message.index(head) for head in heads)
    assert world.statuses == [(f"explore-{number}", "done") for number in (1, 2, 3)]
    assert {event.agent for event in world.told("tool_result")} == {"", *dict(world.statuses)}
    assert [event.sub_id for event in world.told("subagent_started")] == [*dict(world.statuses)]


async def test_eight_explorers_work_four_at_once(world: Place) -> None:
    four, lock = threading.Barrier(4), threading.Lock()
    open_requests, most = 0, 0

    def explorer(request: Request) -> Any:
        nonlocal open_requests, most
        with lock:
            open_requests += 1
            most = max(most, open_requests)
        four.wait(30)  # answered only once four of them are here
        with lock:
            open_requests -= 1
        return {"text": "found"}

    names = [f"look{number}" for number in range(8)]
    crew = Crew(
        sends(*[("explore", f"{name} x") for name in names]),
        {"text": "All."},
        **dict.fromkeys(names, explorer),
    )
    await world.chat(crew)
    assert [status for _, status in world.statuses] == ["done"] * 8
    assert most == 4
    before, after = (request.whole for request in crew.requests["parent"])
    assert before["tools"] == after["tools"]
    assert after["messages"][: len(before["messages"])] == before["messages"]


async def test_agents_that_write_take_turns(world: Place) -> None:
    working: list[str] = []

    def writer(request: Request) -> Any:
        messages = request.body["messages"]
        name = text_of(messages[1])
        if messages[-1]["role"] == "tool":
            working.append(f"{name} ends")
            return {"text": "written"}
        working.append(f"{name} begins")
        return calls(("write_file", {"path": f"{name}.txt", "content": "new\n"}), wait=0.2)

    crew = Crew(
        sends(("general", "one"), ("general", "two")),
        {"text": "Both."},
        one=writer, two=writer,
    )  # fmt: skip
    end = await world.chat(crew, mode="edits")
    assert working == ["one begins", "one ends", "two begins", "two ends"]
    assert end.files == [{"path": f"{name}.txt", "kind": "added"} for name in ("one", "two")]
    assert "[general-2: done; files changed: two.txt]" in last_of(crew.requests["parent"][1])


def test_undo_takes_back_what_a_child_changed(program: Program, provider: Provider) -> None:
    crew = Crew(
        sends(("general", "one x")),
        {"text": "Done."},
        one=[calls(WRITES), {"text": "written"}],
    )
    provider.script(crew)
    end = program.chat("go", "--mode", "edits")
    assert (end.code, program.lines("new.txt")) == (0, ["new"])
    assert program.run("undo", "--yes").code == 0
    assert not (program.project / "new.txt").exists()


@pytest.mark.parametrize("mode", [{"mode": "read-only"}, {"plan": True}])
async def test_no_child_is_looser_than_its_parent(world: Place, mode: Any) -> None:
    crew = Crew(
        sends(("general", "one x")),
        {"text": "Done."},
        one=[calls(WRITES, ("run_command", {"command": "touch b.txt"})), {"text": "refused"}],
    )
    end = await world.chat(crew, **mode)
    assert (end.type, sorted(path.name for path in world.folder.iterdir())) == (
        "completion",
        ["a.txt"],
    )
    assert not any(event.ok for event in world.told("tool_result") if event.agent)


async def test_a_child_sends_no_others(world: Place) -> None:
    crew = Crew(
        sends(("general", "one x")),
        {"text": "Done."},
        one=[sends(("explore", "two x")), {"text": "alone"}],
    )
    await world.chat(crew)
    assert world.statuses == [("general-1", "done")]
    offered = [tool["function"]["name"] for tool in crew.requests["one"][0].body["tools"]]
    assert "subagent" not in offered and "plan_enter" not in offered


async def test_unknown_agent_is_answered_with_the_list(world: Place) -> None:
    crew = Crew(sends(("explorer", "one x")), {"text": "Then not."})
    end = await world.chat(crew)
    message = last_of(crew.requests["parent"][1])
    assert "no agent `explorer` can be sent; did you mean `explore`?" in message
    assert "architect, coder, explore, general, shell, tester" in message
    assert (end.summary, world.statuses) == ("Then not.", [])


async def test_questions_of_children_are_answered_one_by_one(world: Place) -> None:
    fetches = {
        name: [calls(("webfetch", {"url": f"https://{name}.example"})), {"text": f"{name} no"}]
        for name in ("one", "two", "three")
    }
    tasks = [("explore", f"{name} x") for name in fetches]
    crew = Crew(sends(*tasks), {"text": "None."}, **fetches)  # pyright: ignore[reportArgumentType]
    first = await world.chat(crew)
    assert (first.type, first.count, first.agent) == ("question", 3, "explore-1")
    assert [status for _, status in world.statuses] == ["waiting"] * 3
    third = first.others[1]["id"]
    asked = await world.answer(reject="no", question=third)
    assert (asked.type, asked.count) == ("question", 2)
    assert [status for _, status in world.statuses] == ["waiting", "waiting", "done"]
    asked = await world.answer(reject="no", question=first.id)
    end = await world.answer(reject="no", question=asked.id)
    assert (end.summary, len(crew.requests["one"])) == ("None.", 2)
    assert {len(made) for made in crew.requests.values()} == {2}


async def test_a_rule_given_to_a_child_holds_for_the_thread(world: Place) -> None:
    touch = ("run_command", {"command": "touch b.txt"})
    crew = Crew(
        sends(("general", "one x")),
        calls(("run_command", {"command": "touch b.txt"})),
        {"text": "Done."},
        one=[calls(touch), {"text": "touched"}],
    )
    await world.chat(crew)
    assert world.told("question")
    end = await world.answer(decisions=[{"type": "approve", "for_thread": True}])
    assert end.summary == "Done."


async def test_at_its_turn_limit_a_child_reports(world: Place) -> None:
    agents = world.runner.home / "agents"
    agents.mkdir()
    text = "---\ndescription: Looks.\nmode: subagent\nmaxTurns: 2\n---\nLook.\n"
    (agents / "looker.md").write_text(text)
    crew = Crew(
        sends(("looker", "one x")),
        {"text": "Done."},
        one=[calls(LOOK), {"text": "half of it"}],
    )
    await world.chat(crew)
    assert "[looker-1: partial]\nhalf of it" in last_of(crew.requests["parent"][1])
    last = crew.requests["one"][1].body
    assert "You have reached the limit of 2 model turns" in text_of(last["messages"][-1])
    assert last["tool_choice"] == "none"


async def test_a_child_whose_model_fails_is_reported(world: Place) -> None:
    crew = Crew(
        sends(("explore", "one x"), ("explore", "two x")),
        {"text": "One of two."},
        one=[{"status": 400, "body": {"error": {"message": "bad luck"}}}],
        two=[{"text": "found"}],
    )
    end = await world.chat(crew)
    message = last_of(crew.requests["parent"][1])
    assert "[explore-1: failed]\nIt did not finish:" in message and "bad luck" in message
    assert (end.summary, dict(world.statuses)["explore-2"]) == ("One of two.", "done")


async def test_long_report_is_cut_and_kept(world: Place) -> None:
    crew = Crew(
        sends(("explore", "one x")),
        calls(("command_output", {"id": "explore-1", "start_line": 2})),
        {"text": "Read."},
        one=[{"text": "a" * 9000 + "\nthe end"}],
    )
    await world.chat(crew)
    message = last_of(crew.requests["parent"][1])
    assert len(message) < 8100 and "command_output with id `explore-1`" in message
    assert "the end" in last_of(crew.requests["parent"][2])


async def test_a_reported_child_can_be_resumed(world: Place) -> None:
    crew = Crew(
        sends(("explore", "one x")),
        calls(("subagent", {"resume": "explore-1", "task": "and y?"})),
        {"text": "Both."},
        one=[calls(LOOK), {"text": "x is there"}, {"text": "so is y"}],
    )
    await world.chat(crew)
    assert world.statuses == [("explore-1", "done"), ("explore-2", "done")]
    messages = [text_of(message) for message in crew.requests["one"][2].body["messages"]]
    assert messages[-2:] == ["x is there", "and y?"]
    assert "[explore-2: done]\nso is y" in last_of(crew.requests["parent"][2])


async def test_kill_in_second_child_repeats_nothing_finished(
    program: Program, provider: Provider
) -> None:
    crew = Crew(
        sends(("explore", "one x"), ("general", "two x"), ("explore", "three x")),
        {"text": "All three."},
        one=[calls(LOOK), {"text": "one found"}],
        two=[calls(("run_command", SLOW)), {"text": "two looked"}],
        three=[{"text": "three found"}],
    )
    provider.script(crew)
    model = ("--model", "openai/served", "--base-url", provider.url)
    process = program.start("chat", "go", *model, "--mode", "auto")
    ended = 0
    thread = ""
    for line in process.stdout or ():
        event = json.loads(line)
        thread = thread or event["thread_id"]
        ended += event["type"] == "subagent_finished"
        if ended == 2 and (program.project / "log.txt").exists():
            break
    process.kill()
    assert program.end(process).code == -signal.SIGKILL
    resumed = program.resume(thread)
    assert (resumed.code, resumed.last["summary"]) == (0, "All three.")
    assert program.lines() == ["begins"]
    assert {name: len(made) for name, made in crew.requests.items()} == {
        "parent": 2, "one": 2, "two": 2, "three": 1,
    }  # fmt: skip
    assert "Outcome unknown" in last_of(crew.requests["two"][1])
    assert [event["sub_id"] for event in resumed.told("subagent_finished")] == ["general-1"]


async def test_new_agent_file_leaves_the_prefix_unchanged(world: Place) -> None:
    agents = world.runner.home / "agents"
    agents.mkdir()
    looker = "---\ndescription: Looks {how}.\nmode: subagent\ntools: [grep]\n---\nLook.\n"
    (agents / "looker.md").write_text(looker.format(how="twice"))
    crew = Crew(
        {"text": "Hello."},
        sends(("finder", "one x")),
        {"text": "It is found."},
        one=[{"text": "found"}],
    )
    await world.chat(crew)
    for name in ("looker", "finder"):
        (agents / f"{name}.md").write_text(looker.format(how="once"))
    await world.say("find it")
    first, *later = (request.whole for request in crew.requests["parent"])
    assert "- looker (only reads): Looks twice." in text_of(first["messages"][1])
    for body in later:
        assert body["tools"] == first["tools"]
        assert body["messages"][: len(first["messages"])] == first["messages"]
    assert world.statuses == [("finder-1", "done")]


WORKER = """---
description: Changes a copy.
mode: subagent
isolation: worktree
---
Work.
"""


@pytest.fixture
def apart(world: Place) -> Place:
    """A project in git, with an agent that works in a worktree."""
    (world.runner.home / "agents").mkdir(parents=True)
    (world.runner.home / "agents/worker.md").write_text(WORKER)
    (world.folder / "a.txt").write_text("".join(f"line {number}\n" for number in range(9)))
    subprocess.run(["git", "init", "-q"], cwd=world.folder, check=True)
    return world


def changes(name: str, number: int) -> list[Turn]:
    old = {"file_path": "a.txt", "old_string": f"line {number}", "new_string": name}
    return [calls(("read_file", {"path": "a.txt"})), calls(("edit", old)), {"text": "changed"}]


async def test_two_writers_in_worktrees_change_one_file(apart: Place) -> None:
    crew = Crew(
        sends(("worker", "one"), ("worker", "two")),
        {"text": "Both."},
        one=changes("one", 1),
        two=changes("two", 7),
    )
    end = await apart.chat(crew, mode="edits")
    lines = (apart.folder / "a.txt").read_text().splitlines()
    assert (lines[1], lines[7], len(lines)) == ("one", "two", 9)
    assert [row[1] for row in apart.statuses] == ["done", "done"]
    assert end.files == [{"path": "a.txt", "kind": "modified"}]
    assert "[worker-1: done; files changed: a.txt]" in last_of(crew.requests["parent"][1])
    worktrees = apart.runner.home / "data/worktrees"
    assert not [path for path in worktrees.rglob("a.txt")]


@pytest.mark.parametrize("is_left", [True, False])
async def test_worktree_of_waiting_child_goes(apart: Place, is_left: bool) -> None:
    *edits, end = changes("one", 1)
    asks = calls(("webfetch", {"url": "https://one.example"}))
    crew = Crew(sends(("worker", "one")), {"text": "Well."}, one=[*edits, asks, end])
    question = await apart.chat(crew, mode="edits")
    containers = list(list_containers(apart.runner.home))
    assert (question.type, len(containers)) == ("question", 1)
    await (apart.say("never mind") if is_left else apart.answer(reject="no"))
    assert list(list_containers(apart.runner.home)) == []
    lines = (apart.folder / "a.txt").read_text().splitlines()
    assert lines[1] == ("line 1" if is_left else "one")
    saved = paths.locate_outputs(apart.runner.home, apart.thread) / "worker-1.diff"
    assert saved.exists() is is_left
    if is_left:
        assert "+one" in saved.read_text()
        assert [event.text for event in apart.told("notice") if str(saved) in event.text]
        answer = crew.requests["parent"][1].body["messages"][-2]
        assert "is not in the files" in text_of(answer)


async def test_conflict_of_two_worktrees_is_reported(apart: Place) -> None:
    crew = Crew(
        sends(("worker", "one"), ("worker", "two")),
        {"text": "One of two."},
        one=changes("one", 1),
        two=changes("two", 1),
    )
    await apart.chat(crew, mode="edits")
    won = (apart.folder / "a.txt").read_text().splitlines()[1]
    message = last_of(crew.requests["parent"][1])
    assert won in ("one", "two") and "Not merged" in message
    retained = Path(message.partition("the agent's version: ")[2].splitlines()[0])
    assert retained.read_text().splitlines()[1] == {"one": "two", "two": "one"}[won]
    [notice] = [event for event in apart.told("notice") if "not merged: `a.txt`" in event.text]
    assert str(retained) in notice.text and notice.agent.startswith("worker-")


async def test_a_hook_sees_the_call_that_sends_agents(world: Place) -> None:
    hook = {"matcher": "subagent", "command": "echo no agents >&2; exit 2"}
    (world.runner.home / "config.yaml").write_text(json.dumps({"hooks": {"before_tool": [hook]}}))
    crew = Crew(sends(("explore", "one x")), {"text": "Then not."})
    await world.chat(crew)
    assert "no agents" in last_of(crew.requests["parent"][1])
    assert world.statuses == []


async def test_a_hook_that_passes_lets_agents_go(world: Place) -> None:
    hook = {"matcher": "subagent", "command": "true"}
    (world.runner.home / "config.yaml").write_text(json.dumps({"hooks": {"before_tool": [hook]}}))
    crew = Crew(
        sends(("explore", "one x"), ("explore", "two x")),
        {"text": "Done."},
        one=[{"text": "found"}],
        two=[{"text": "found"}],
    )
    end = await world.chat(crew)
    assert (end.summary, len(world.statuses)) == ("Done.", 2)


async def test_a_new_message_ends_children_that_wait(world: Place) -> None:
    crew = Crew(
        sends(("explore", "one x"), ("explore", "two x")),
        {"text": "As you like."},
        one=[{"text": "one is found"}],
        two=[calls(("webfetch", {"url": "https://two.example"}))],
    )
    assert (await world.chat(crew)).type == "question"
    end = await world.say("never mind")
    assert end.summary == "As you like."
    assert world.statuses == [("explore-1", "done"), ("explore-2", "killed")]
    answer = next(m for m in crew.requests["parent"][1].body["messages"] if m["role"] == "tool")
    assert "one is found" in text_of(answer) and "[explore-2: killed]" in text_of(answer)


def test_children_stop_together_and_go_on(program: Program, provider: Provider) -> None:
    def explorer(request: Request) -> Any:
        if request.body["messages"][-1]["role"] == "tool":
            return {"text": "found"}
        return calls(LOOK, wait=2)

    crew = Crew(
        sends(("explore", "one x"), ("explore", "two x")),
        {"text": "Both."},
        one=explorer,
        two=explorer,
    )
    provider.script(crew)
    stopped = program.chat("go", "--timeout", "1.5")
    assert (stopped.last["type"], stopped.last["reason"]) == ("interrupted", "timeout")
    resumed = program.resume(stopped.last["thread_id"])
    assert (resumed.code, resumed.last["summary"]) == (0, "Both.")
    assert {name: len(made) for name, made in crew.requests.items()} == {
        "parent": 2, "one": 2, "two": 2,
    }  # fmt: skip


async def test_children_share_the_dollars(world: Place) -> None:
    dear = {"usage": {"prompt_tokens": 100_000, "completion_tokens": 5, "total_tokens": 100_005}}
    crew = Crew(
        sends(("explore", "one x"), ("explore", "two x")),
        {"text": "Both."},
        one=[calls(LOOK, **dear), {"text": "half of one"}],
        two=[{"text": "all of two"}],
    )
    end = await world.chat(crew, model="openai/gpt-4o", max_cost=0.5)
    *_, message, note = crew.requests["parent"][1].body["messages"]
    assert "[explore-1: partial]\nhalf of one" in text_of(message)
    assert text_of(note).startswith("Left for this request: $0.25 of $0.5.")
    assert "the limit of $0.25" in last_of(crew.requests["one"][1])
    assert (end.type, end.usage["requests"]) == ("completion", 5)


def test_a_task_sends_explorers_and_writers(program: Program, provider: Provider) -> None:
    crew = Crew(
        sends(("explore", "one x")),
        {"text": "1. Change new.txt"},
        sends(("general", "two x")),
        {"text": "Done."},
        {"text": "ACCEPTED"},
        one=[{"text": "found"}],
        two=[calls(WRITES), {"text": "written"}],
    )
    provider.script(crew)
    end = program.task(
        "--apply", "--trust", "--mode", "auto", LLC_TASK__TEST_COMMAND="test -f new.txt"
    )
    assert (end.code, end.outcome) == (0, "verified")
    names = [request.body["messages"][0]["content"][:24] for request in crew.requests["parent"]]
    assert len(names) == 5
    architect = crew.requests["parent"][0].body["tools"]
    (tool,) = [item["function"] for item in architect if item["function"]["name"] == "subagent"]
    assert "- explore:" in tool["description"] and "- general:" not in tool["description"]


async def test_an_agent_that_cannot_be_opened_fails_alone(world: Place) -> None:
    agents = world.runner.home / "agents"
    agents.mkdir()
    text = "---\ndescription: Looks.\nmode: subagent\ntools: [nonsense]\n---\nLook.\n"
    (agents / "looker.md").write_text(text)
    crew = Crew(
        sends(("looker", "one x"), ("explore", "two x")),
        {"text": "One of two."},
        two=[{"text": "found"}],
    )
    end = await world.chat(crew)
    assert (end.type, world.statuses) == (
        "completion",
        [("looker-1", "failed"), ("explore-1", "done")],
    )
