from maxagent.config.agents.profile import AgentProfile
from maxagent.config.agents.registry import built_in
from maxagent.config.settings.permission_rules import WrittenRule
from maxagent.tools.runtime.agent_validation import mistakes


def test_the_built_in_agents_have_no_mistakes() -> None:
    assert [told for one in built_in().values() for told in mistakes(one)] == []


def test_every_tool_rule_and_file_that_means_nothing_is_told_with_its_place() -> None:
    profile = AgentProfile(
        name="a",
        description="",
        prompt="x",
        tools=("grab",),
        permissions=(WrittenRule("deny", "edti", "a.md:5"), WrittenRule("ask", "edit(", "a.md:6")),
        files=("~/x",),
        origin="a.md",
        lines={"tools": 2, "files": 7},
    )
    told = list(mistakes(profile))
    assert [one.split(":")[1] for one in told] == ["2", "5", "6", "7"]
    assert "did you mean `edit`" in told[1] and "relative to the project" in told[3]
