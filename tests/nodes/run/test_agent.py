import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from provider import Provider

from maxagent.config.agents.registry import load_built_in_agents
from maxagent.config.errors import UsageError
from maxagent.config.instructions.discovery import Instruction
from maxagent.config.settings.schema import AgentSettings, AgentsSection
from maxagent.models.invoke import invoke_model
from maxagent.nodes.run.agent import build_system_prompt, load_agent, open_agent, with_rules
from maxagent.nodes.run.context import Context
from maxagent.tools.consent.rule_record import save_project_rule


@pytest.mark.parametrize("agent", load_built_in_agents().values(), ids=lambda agent: agent.name)
def test_a_prompt_is_short_and_always_the_same(agent):
    first = build_system_prompt(agent, "/project", AgentsSection())
    assert len(first.text) < 8_000
    assert first == build_system_prompt(agent, "/project", AgentsSection())


def test_the_users_own_words_follow_the_agents():
    agents = AgentsSection(coder=AgentSettings(system_prompt="Write Latin."))
    text = str(build_system_prompt(load_built_in_agents()["coder"], "/project", agents).text)
    assert text.index("attempt_completion") < text.index("Write Latin.") < text.index("/project")


def test_an_agent_may_have_any_name():
    agent = replace(load_built_in_agents()["general"], name="json")
    assert agent.system_prompt in build_system_prompt(agent, "/project", AgentsSection()).text


def test_instruction_files_come_last_with_names_before_text():
    files = [Instruction("/home/me/AGENTS.md", "Be brief."), Instruction("CLAUDE.md", "Use tabs.")]
    text = build_system_prompt(
        load_built_in_agents()["coder"], "/project", AgentsSection(), files
    ).text
    names = ("/project", "the later one counts", '"/home/me/AGENTS.md"', "Be brief.", "Use tabs.")
    assert sorted(names, key=text.index) == [*names]
    assert text.endswith('<instructions file="CLAUDE.md">\nUse tabs.\n</instructions>')


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
    opened = Context(home=str(tmp_path / "home"))
    yield opened
    await opened.pool.close()


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


async def test_all_roles_share_one_connection_after_new_rules(folder, context, provider: Provider):
    provider.script([{"text": "one"}, {"text": "two"}, {"text": "three"}])
    options = OPTIONS | {"base_url": provider.url}
    for role in ("architect", "coder", "coder"):
        agent = await load_agent(role, {"folder": folder, "options": options}, context)
        await invoke_model(agent.model, [agent.system, HumanMessage("go")], print, print)
        with_rules(agent, ["run_command(make)"])
    offered = [len(request.body["tools"]) for request in provider.requests]
    assert offered[0] < offered[1] == offered[2] and provider.connections == 1


async def test_a_script_has_a_model_for_each_role(folder, context, tmp_path):
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"architect": [{"text": "a"}], "coder": [{"text": "c"}]}))
    deps = await context.pool.open(folder, {"model": f"scripted/{scenario}"}, context)
    agents = [open_agent(deps, agent) for agent in ("architect", "coder")]
    assert [(await agent.model.ainvoke("go")).text for agent in agents] == ["a", "c"]


@pytest.mark.usefixtures("own_coder")
async def test_agent_has_own_model_temperature_turns_and_rules(folder, context):
    usual = await context.pool.open(folder, {"speaker": "build"}, context)
    mine = open_agent(usual, "coder").deps
    assert (mine.model.model, mine.model.temperature, mine.turns) == ("other", 0.1, 4)
    assert [rule.text for rule in mine.policy.rules] == ["edit"]
    assert not usual.policy.rules and usual.turns == open_agent(usual, "build").deps.turns == 100


@pytest.mark.usefixtures("own_coder")
async def test_model_named_by_user_overrides_agent_model(folder, context):
    agent = await load_agent(
        "coder", {"folder": folder, "options": {"model": "openai/any"}}, context
    )
    assert agent.deps.model.model == "any"


@pytest.mark.usefixtures("own_coder")
async def test_chosen_agent_acts_as_role_with_its_model(folder, context):
    speaking = await load_agent(
        "build", {"folder": folder, "options": {"speaker": "coder"}}, context
    )
    assert "You are the coder." in speaking.system.text
    assert (await context.pool.open(folder, {"speaker": "coder"}, context)).model.model == "other"


@pytest.mark.usefixtures("own_coder")
async def test_agent_is_opened_once_and_gets_rules(folder, context):
    agent = await load_agent("coder", {"folder": folder, "options": OPTIONS}, context)
    assert await load_agent("coder", {"folder": folder, "options": OPTIONS}, context) is agent
    assert with_rules(agent, []) is agent
    save_project_rule(Path(context.home), os.path.realpath(folder), "run_command(make)", ())
    save_project_rule(Path(context.home), "/other", "run_command(ls)", ())
    rules = with_rules(agent, ["edit(a.txt)"]).deps.policy.rules
    assert [rule.text for rule in rules] == ["edit", "edit(a.txt)", "run_command(make)"]
    assert [rule.consent for rule in rules] == [None, (), ()]


async def test_nobody_of_that_name_speaks(folder, context):
    with pytest.raises(UsageError, match="no agent `codr`"):
        await load_agent(
            "build", {"folder": folder, "options": OPTIONS | {"speaker": "codr"}}, context
        )
