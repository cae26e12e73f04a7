import json
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from provider import Provider

from maxagent.config.errors import UsageError
from maxagent.models.invoke import ask
from maxagent.nodes.agent.agent import open_voice, voice_of
from maxagent.nodes.agent.dependencies import close_workbenches, learn, workbench
from maxagent.nodes.context import Context

OPTIONS = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}
CODER = """---
model: openai/other
temperature: 0.1
max_steps: 4
permissions: {deny: [edit]}
---
You are the coder.
"""


@pytest.fixture
async def context(tmp_path: Path):
    yield Context(home=str(tmp_path / "home"))
    await close_workbenches()


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


@pytest.fixture
def own_coder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own agent in place of the coder."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    (tmp_path / "home/agents").mkdir(parents=True)
    (tmp_path / "home/agents/coder.md").write_text(CODER)


async def test_all_roles_ask_over_one_connection_whatever_the_user_allows(
    folder, context, provider: Provider
):
    provider.script([{"text": "one"}, {"text": "two"}, {"text": "three"}])
    options = OPTIONS | {"base_url": provider.url}
    for role in ("architect", "coder", "coder"):
        voice = await voice_of(role, folder, options, context)
        await ask(voice.model, [voice.system, HumanMessage("go")], print, print)
        learn(["run_command(make)"])
    offered = [len(request.body["tools"]) for request in provider.requests]
    assert offered[0] < offered[1] == offered[2] and provider.connections == 1


async def test_a_script_has_a_model_for_each_role(folder, context, tmp_path):
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"architect": [{"text": "a"}], "coder": [{"text": "c"}]}))
    bench = await workbench(folder, {"model": f"scripted/{scenario}"}, context)
    voices = [open_voice(bench, agent) for agent in ("architect", "coder")]
    assert [(await voice.model.ainvoke("go")).text for voice in voices] == ["a", "c"]


@pytest.mark.usefixtures("own_coder")
async def test_an_agent_has_its_own_model_temperature_turns_and_rules(folder, context):
    usual = await workbench(folder, {"speaker": "build"}, context)
    mine = open_voice(usual, "coder").bench
    assert (mine.model.model, mine.model.temperature, mine.turns) == ("other", 0.1, 4)
    assert [rule.text for rule in mine.policy.rules] == ["edit"]
    assert not usual.policy.rules and usual.turns == open_voice(usual, "build").bench.turns == 100


@pytest.mark.usefixtures("own_coder")
async def test_a_model_that_the_user_names_is_stronger_than_the_agent_s_own(folder, context):
    named = await voice_of("coder", folder, {"model": "openai/any"}, context)
    assert named.bench.model.model == "any"


@pytest.mark.usefixtures("own_coder")
async def test_whoever_was_chosen_speaks_as_the_role_and_the_conversation_has_its_model(
    folder, context
):
    speaking = await voice_of("build", folder, {"speaker": "coder"}, context)
    assert "You are the coder." in speaking.system.text
    assert (await workbench(folder, {"speaker": "coder"}, context)).model.model == "other"


@pytest.mark.usefixtures("own_coder")
async def test_a_voice_is_opened_once_and_anew_when_the_user_allows_more(folder, context):
    before = await voice_of("coder", folder, OPTIONS, context)
    assert await voice_of("coder", folder, OPTIONS, context) is before
    learn(["run_command(make)"])
    after = await voice_of("coder", folder, OPTIONS, context)
    assert [rule.text for rule in after.bench.policy.rules] == ["run_command(make)", "edit"]


async def test_nobody_of_that_name_speaks(folder, context):
    with pytest.raises(UsageError, match="no agent `codr`"):
        await voice_of("build", folder, OPTIONS | {"speaker": "codr"}, context)
