from maxagent.config.agents.profile import AgentProfile
from maxagent.config.settings.permission_rules import RawRule


def test_project_profile_inherits_limits_but_no_allow_rules() -> None:
    raw_rule, dropped = RawRule("deny", "edit", "u:3"), RawRule("allow", "grep", "u:4")
    rule = RawRule("ask", "webfetch", "p:2")
    users = AgentProfile(
        "a", "", "x", permissions=(raw_rule, dropped), max_steps=5, writable_files=("src/**",)
    )
    projects = AgentProfile("a", "", "y", permissions=(rule,), max_steps=9, under=users)
    assert projects.rules == (rule, raw_rule)
    assert (projects.steps, users.steps, AgentProfile("b", "", "z").steps) == (5, 5, 0)
    assert projects.limits == (projects, users)


def test_locate_key_gives_file_and_line() -> None:
    profile = AgentProfile("a", "", "x", origin="/a.md", lines={"tools": 4})
    assert (profile.locate_key("tools"), profile.locate_key("files")) == ("/a.md:4", "/a.md")
