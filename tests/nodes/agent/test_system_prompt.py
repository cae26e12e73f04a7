from dataclasses import replace

import pytest

from maxagent.config.agents.registry import built_in
from maxagent.config.instructions.discovery import Instruction
from maxagent.config.settings.schema import Agent, AgentsSection
from maxagent.nodes.agent.system_prompt import system_prompt


@pytest.mark.parametrize("agent", built_in().values(), ids=lambda agent: agent.name)
def test_a_prompt_is_short_and_always_the_same(agent):
    first = system_prompt(agent, "/project", AgentsSection())
    assert len(first.text) < 8_000
    assert first == system_prompt(agent, "/project", AgentsSection())


def test_the_users_own_words_follow_the_agents():
    agents = AgentsSection(coder=Agent(system_prompt="Write Latin."))
    text = str(system_prompt(built_in()["coder"], "/project", agents).text)
    assert text.index("attempt_completion") < text.index("Write Latin.") < text.index("/project")


def test_an_agent_may_have_any_name():
    agent = replace(built_in()["general"], name="json")
    assert agent.prompt in system_prompt(agent, "/project", AgentsSection()).text


def test_instruction_files_come_last_and_their_names_stand_before_them():
    files = [Instruction("/home/me/AGENTS.md", "Be brief."), Instruction("CLAUDE.md", "Use tabs.")]
    text = system_prompt(built_in()["coder"], "/project", AgentsSection(), files).text
    words = ("/project", "the later one counts", '"/home/me/AGENTS.md"', "Be brief.", "Use tabs.")
    assert sorted(words, key=text.index) == [*words]
    assert text.endswith('<instructions file="CLAUDE.md">\nUse tabs.\n</instructions>')
