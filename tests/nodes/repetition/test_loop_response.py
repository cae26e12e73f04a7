import json
from pathlib import Path
from typing import Any

import pytest
from anthropic_provider import AnthropicProvider
from provider import Provider, Request
from responses_provider import ResponsesProvider
from strict_provider import StrictProvider

from maxagent import Runner
from maxagent.models.providers import load_providers
from maxagent.nodes.repetition import loop_response

CALL = {"name": "run_command", "args": {"command": "false"}}
MODES = {"mode": "auto", "model": "openai/served"}


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
