from maxagent.config.agents.profile import AgentProfile
from maxagent.config.agents.registry import load_built_in_agents
from maxagent.config.settings.permission_rules import RawRule
from maxagent.tools.runtime.agent_validation import find_mistakes


def test_the_built_in_agents_have_no_mistakes() -> None:
    assert [told for one in load_built_in_agents().values() for told in find_mistakes(one)] == []


def test_every_meaningless_entry_is_reported_with_its_place() -> None:
    profile = AgentProfile(
        name="a",
        description="",
        prompt="x",
        tools=("grab",),
        permissions=(RawRule("deny", "edti", "a.md:5"), RawRule("ask", "edit(", "a.md:6")),
        files=("~/x",),
        origin="a.md",
        lines={"tools": 2, "files": 7},
    )
    told = list(find_mistakes(profile))
    assert [one.split(":")[1] for one in told] == ["2", "5", "6", "7"]
    assert "did you mean `edit`" in told[1] and "relative to the project" in told[3]
