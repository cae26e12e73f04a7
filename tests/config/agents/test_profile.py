from maxagent.config.agents.profile import AgentProfile
from maxagent.config.settings.permission_rules import WrittenRule


def test_under_another_both_limits_hold_but_nothing_of_it_allows() -> None:
    kept, dropped = WrittenRule("deny", "edit", "u:3"), WrittenRule("allow", "grep", "u:4")
    own = WrittenRule("ask", "webfetch", "p:2")
    users = AgentProfile("a", "", "x", permissions=(kept, dropped), max_steps=5, files=("src/**",))
    projects = AgentProfile("a", "", "y", permissions=(own,), max_steps=9, under=users)
    assert projects.rules == (own, kept)
    assert (projects.steps, users.steps, AgentProfile("b", "", "z").steps) == (5, 5, 0)
    assert projects.limits == (projects, users)


def test_a_place_is_the_file_and_the_line_where_the_key_stands() -> None:
    profile = AgentProfile("a", "", "x", origin="/a.md", lines={"tools": 4})
    assert (profile.place("tools"), profile.place("files")) == ("/a.md:4", "/a.md")
