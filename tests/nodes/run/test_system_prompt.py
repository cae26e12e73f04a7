from dataclasses import replace

import pytest

from maxagent.config.agents.registry import load_built_in_agents
from maxagent.config.instructions.discovery import Instruction
from maxagent.config.settings.schema import AgentSettings, AgentsSection
from maxagent.nodes.run.system_prompt import build_system_prompt


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
    assert agent.prompt in build_system_prompt(agent, "/project", AgentsSection()).text


def test_instruction_files_come_last_with_names_before_text():
    files = [Instruction("/home/me/AGENTS.md", "Be brief."), Instruction("CLAUDE.md", "Use tabs.")]
    text = build_system_prompt(
        load_built_in_agents()["coder"], "/project", AgentsSection(), files
    ).text
    words = ("/project", "the later one counts", '"/home/me/AGENTS.md"', "Be brief.", "Use tabs.")
    assert sorted(words, key=text.index) == [*words]
    assert text.endswith('<instructions file="CLAUDE.md">\nUse tabs.\n</instructions>')
