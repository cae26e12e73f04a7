import pytest

from maxagent.config.settings import Agent, AgentsSection
from maxagent.nodes.prompt import system_prompt
from maxagent.nodes.roles import ROLES
from maxagent.tools.toolset import ALL


@pytest.mark.parametrize("role", ROLES.values(), ids=lambda role: role.name)
def test_a_prompt_is_short_and_always_the_same(role):
    first = system_prompt(role, "/project", AgentsSection())
    assert len(first.text) < 8_000
    assert first == system_prompt(role, "/project", AgentsSection())


def test_the_users_own_words_follow_the_roles():
    agents = AgentsSection(coder=Agent(system_prompt="Write Latin."))
    text = str(system_prompt(ROLES["coder"], "/project", agents).text)
    assert text.index("attempt_completion") < text.index("Write Latin.") < text.index("/project")


def test_every_tool_of_a_role_exists():
    known = {tool.name for tool in ALL}
    assert {name for role in ROLES.values() for name in role.tools} <= known
