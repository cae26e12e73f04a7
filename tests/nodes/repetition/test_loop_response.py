import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from anthropic_provider import AnthropicProvider
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from provider import Provider, Request
from responses_provider import ResponsesProvider
from strict_provider import StrictProvider

from maxagent import Runner
from maxagent.models.providers import load_providers
from maxagent.nodes.conversation.cut import Cut
from maxagent.nodes.repetition import loop_response
from maxagent.nodes.repetition.loop_response import LOOP, NEW_LISTS, STALE_STEPS, TREE, find_loop
from maxagent.nodes.run.message_history import build_tool_message

CALL = {"name": "run_command", "args": {"command": "false"}}
MODES = {"mode": "auto", "model": "openai/served"}
NOW = "tree-1"
_numbers = count(1)


async def collect(stream: Any) -> list[Any]:
    return [event async for event in stream]


def notices(events: list[Any]) -> list[str]:
    """Those about loops."""
    texts = [event.text for event in events if event.type == "notice"]
    return [text for text in texts if "repeat" in text]


async def chat(folder: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch, *texts: str):
    """The events of each message; the model calls the same command until it is told to stop."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    options = {**MODES, "base_url": provider.url}
    async with Runner(home=folder / "home") as runner:
        (folder / "project").mkdir()
        first = await collect(runner.chat(texts[0], folder=folder / "project", options=options))
        later = [await collect(runner.say(first[-1].thread_id, text)) for text in texts[1:]]
        return [first, *later]


def loops(request: Request) -> dict[str, Any]:
    """A model that repeats itself; only a message of the user changes its mind."""
    last = request.body["messages"][-1]
    return {"text": "Well."} if last["content"] == "Stop." else {"tool_calls": [CALL]}


async def test_loop_is_warned_set_back_and_stopped(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
):
    provider.script(loops)
    first, second = await chat(tmp_path, provider, monkeypatch, "Go on.", "Stop.")
    assert (first[-1].outcome, second[-1].outcome) == ("failed", "answered")
    sentence = [loop_response.IN_A_LOOP, loop_response.SET_BACK, loop_response.ENDED]
    names = '`run_command(command="false")`'
    assert notices(first) == [text.format(calls=names) for text in sentence]
    assert [event.reason for event in first if event.type == "cache_reset"] == ["loop"]
    sent = [request.body["messages"] for request in provider.requests]
    assert len(sent) == 8
    # each request begins with the one before, but where the repetitions are left out
    grows = [later[: len(before)] == before for before, later in zip(sent, sent[1:], strict=False)]
    assert grows == [True] * 4 + [False] + [True] * 2
    warned, set_back, last = sent[3], sent[5], sent[7]
    assert "up to 3 times" in warned[-1]["content"]
    assert set_back[:-1] == sent[1] and "You went in circles" in set_back[-1]["content"]
    assert "The run was stopped here" in last[-2]["content"]
    assert last[-1]["content"] == "Stop."


async def test_loop_survives_restart_between_steps(tmp_path: Path):
    script, project = tmp_path / "scenario.json", tmp_path / "project"
    project.mkdir()
    script.write_text(json.dumps({"build": [{"tool_calls": [CALL]}] * 9}))
    options = {"mode": "auto", "model": f"scripted/{script}"}
    events, thread = list[Any](), ""
    for _ in range(9):
        async with Runner(home=tmp_path / "home") as runner:
            start = runner.chat("x", folder=project, options=options)
            async for event in runner.resume(thread) if thread else start:
                events.append(event)
                if event.type == "tool_result":
                    runner.stop()
        thread = event.thread_id
        if event.type == "completion":
            break
    assert (event.type, event.outcome, len(notices(events))) == ("completion", "failed", 3)


@pytest.mark.parametrize("role", ["architect", "coder", "tester"])
async def test_looping_role_fails_its_task(tmp_path: Path, role: str):
    script, project = tmp_path / "scenario.json", tmp_path / "project"
    project.mkdir()
    (project / "test_it.py").write_text("def test_it(): pass\n")
    turns = {"architect": [{"text": "SMALL"}], "coder": [{"text": "done"}], "tester": []}
    script.write_text(json.dumps({**turns, role: [{"tool_calls": [CALL]}] * 9}))
    options = {"mode": "auto", "model": f"scripted/{script}", "apply": True}
    async with Runner(home=tmp_path / "home") as runner:
        events = await collect(runner.task("x", folder=project, options=options))
    assert (events[-1].type, events[-1].outcome) == ("completion", "failed")
    assert notices(events)[-1].startswith("Stopped: the model kept repeating itself")


@pytest.mark.parametrize("name", ["anthropic", "deepseek", "glm", "openai"])
async def test_shortened_conversation_is_accepted_by_strict_servers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It has thinking, whose blocks some vendors want back as they were."""
    row, home, project = load_providers()[name], tmp_path / "home", tmp_path / "project"
    project.mkdir()
    home.mkdir()
    settings = {"model": {"models": {"openai/gpt-5.3-codex": {"api": "responses"}}}}
    (home / "config.yaml").write_text(json.dumps(settings))
    model = {"openai": "gpt-5.3-codex"}.get(name, row.default_model)
    servers = {"anthropic": AnthropicProvider, "openai": ResponsesProvider}
    with servers.get(name, lambda: StrictProvider(row.maker_name))() as server:
        server.script(lambda request: {"thinking": "Again, then.", "tool_calls": [CALL]})
        monkeypatch.setenv(row.key_variables[0], "key")
        monkeypatch.setenv(row.list_endpoint_variables()[0], server.url)
        monkeypatch.setenv("LLC_MODEL__THINKING_STRATEGY", "enabled")
        options = {"mode": "auto", "model": f"{row.name}/{model}"}
        async with Runner(home=home) as runner:
            events = await collect(runner.chat("x", folder=project, options=options))
    refused = server.refusals if isinstance(server, AnthropicProvider) else server.refused
    assert (refused, len(server.requests)) == ([], 7)
    assert (events[-1].type, events[-1].outcome) == ("completion", "failed")


def step(subject: str, result: str = "", *, tree: str = NOW, name: str = "run_command"):
    """A step of one call: the answer and its result, which is as the call unless it is given."""
    number = next(_numbers)
    call = {"name": name, "args": {"command": subject}, "id": f"call_{number:016x}"}
    marks = {"role": "coder", "step": number, TREE: tree}
    answer = AIMessage("", id=f"answer-{number}", tool_calls=[call], additional_kwargs=marks)
    text = result or f"no such thing: {subject}"
    return [answer, build_tool_message(call["id"], name, "coder", text, ok=True)]


def note(level: int = 0) -> list[AnyMessage]:
    """A message of the graph: about a loop if it has a level."""
    marks = {"role": "coder", "synthetic": True, **({LOOP: level} if level else {})}
    return [HumanMessage("note", id=f"note-{next(_numbers)}", additional_kwargs=marks)]


def user() -> list[AnyMessage]:
    """A message of the user, or a brief."""
    return [HumanMessage("Go on", id=f"user-{next(_numbers)}", additional_kwargs={})]


def steps(calls: str, **more: str) -> list[AnyMessage]:
    """A step for each letter; a digit is a note of this level."""
    made = (note(int(item)) if item.isdigit() else step(item, **more) for item in calls)
    return [message for part in made for message in part]


def find(messages: list[AnyMessage], tree: str = NOW, cut: Cut | None = None):
    return find_loop(reversed(messages), tree, cut)


def level_of(messages: list[AnyMessage]) -> int:
    loop = find(messages)
    return loop.level if loop else 0


@pytest.mark.parametrize(
    ("calls", "level"),
    [
        ("", 0),
        ("a", 0),
        ("aa", 0),
        ("aaa", 1),
        ("baaa", 1),
        ("aaab", 0),
        ("abab", 0),
        ("ababa", 1),
        ("abcabca", 1),
        ("abacada", 0),
        ("abcdefabcdef", 1),
        ("aaa0", 0),
        ("aaa1a", 0),
        ("aaa1aa", 2),
        ("aaa1ab", 0),
        ("aaa1bbb", 2),
        ("aaa1aa2a", 0),
        ("aaa1aa2aa", 3),
        ("aaa1bcdeaaa", 1),
        ("ababa1ba2ba", 3),
    ],
)
def test_loop_is_found_at_its_level(calls: str, level: int):
    assert level_of(steps(calls)) == level


def test_calls_on_other_files_are_no_loop():
    messages = [part for tree in ("1", "2", NOW) for part in step("make", "red", tree=tree)]
    assert find(messages) is None


def test_files_changed_back_and_forth_are_loop():
    trees = [("do", "tree-1"), ("undo", "tree-2")] * 3
    messages = [part for call, tree in trees for part in step(call, tree=tree)]
    loop = find(messages, tree="tree-1")
    assert loop and (loop.level, loop.count) == (1, 3)
    # both are hidden together, or the files would not be those of the conversation
    assert loop.hidden == tuple(message.id for message in messages[4:])


@pytest.mark.parametrize("results", [["1 %", "2 %", "3 %"], ["on", "off", "on"]])
def test_command_with_changing_output_is_no_loop(results: list[str]):
    assert find([part for result in results for part in step("status", result)]) is None


def test_times_and_addresses_are_no_change():
    texts = [f"1 failed in 0.{n}1s, <A at 0x7f00{n}000>, call_{n:016x}" for n in range(3)]
    loop = find([part for text in texts for part in step("pytest", text)])
    assert loop and loop.count == 3


@pytest.mark.parametrize("command", ["sleep 5; cat log", "tail -f log", "wait 12"])
def test_command_that_waits_is_no_loop(command: str):
    assert find([part for _ in range(9) for part in step(command, "not yet")]) is None


def test_user_and_new_briefs_begin_anew():
    assert find([*steps("aa"), *user(), *steps("aa")]) is None


def test_call_without_result_is_no_loop():
    assert find([*steps("aa"), *step("a")[:1]]) is None


def test_same_list_of_todos_is_a_loop():
    assert level_of(steps("aa", name="todowrite")) == 0
    assert level_of(steps("aaa", name="todowrite")) == 1


def test_endless_new_lists_of_todos_are_a_loop():
    count = STALE_STEPS * NEW_LISTS
    messages = [part for n in range(count) for part in step(f"{n}", name="todowrite")]
    assert find(messages[: 2 * STALE_STEPS]) is None
    assert find(messages[:-2]) is None
    loop = find(messages)
    assert loop and (loop.level, loop.hidden) == (1, ())


def test_answers_hidden_from_model_are_not_counted():
    messages = steps("aaa")
    cut: Cut = {"upto": "", "pruned": []}  # pyright: ignore[reportAssignmentType]
    assert find(messages, cut=cut)
    assert find(messages, cut={**cut, "upto": messages[1].id or ""}) is None
    assert find(messages, cut={**cut, "pruned": [messages[1].id or ""]}) is None


def test_loop_across_cuts_is_found_later():
    messages = steps("aaaaaa")
    cut: Cut = {"upto": messages[-3].id or "", "pruned": []}  # pyright: ignore
    assert find(messages[2:], cut=cut) is None
    loop = find(messages, cut=cut)
    assert loop and (loop.level, loop.count, loop.hidden) == (1, 6, ())


def test_notes_before_cut_count():
    messages = steps("aaa1aaa")
    cut: Cut = {"upto": messages[6].id or "", "pruned": []}  # pyright: ignore
    loop = find(messages, cut=cut)
    assert loop and loop.level == 2


def test_repetitions_are_hidden_first_call_is_kept():
    messages = [*user(), *steps("ab"), *note(), *steps("ba1"), *note(), *steps("ba")]
    loop = find(messages)
    assert loop and loop.hidden == tuple(message.id for message in messages[6:])


@given(st.text("abc1", min_size=3, max_size=40))
def test_what_is_hidden_leaves_whole_steps(calls: str):
    messages = [*user(), *steps(calls.replace("1", "a0b"))]
    loop = find(messages)
    hidden = set(loop.hidden) if loop else set()
    remaining = [message for message in messages if message.id not in hidden]
    # what is left is the beginning, and ends between two steps
    assert remaining == messages[: len(remaining)]
    assert not isinstance(remaining[-1], AIMessage)
    answers = [item for item in remaining if isinstance(item, AIMessage)]
    made = {call["id"] for answer in answers for call in answer.tool_calls}
    answered = {item.tool_call_id for item in remaining if isinstance(item, ToolMessage)}
    assert made == answered
    # each call that is hidden is among those that are left
    retained = {str(call["args"]) for answer in answers for call in answer.tool_calls}
    every = (message for message in messages if isinstance(message, AIMessage))
    assert {str(call["args"]) for item in every for call in item.tool_calls} == retained
