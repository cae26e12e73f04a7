from dataclasses import replace

import pytest

from maxagent.config.agents.profile import AgentProfile
from maxagent.config.agents.registry import load_built_in_agents
from maxagent.config.errors import UsageError
from maxagent.config.settings.permission_rules import RawRule
from maxagent.config.settings.schema import ToolsSection
from maxagent.tools.definition import get_effect
from maxagent.tools.runtime.agent_tools import (
    BELONGING,
    BRIDGE,
    can_call_server_tool,
    find_mistakes,
    select_agent_tools,
)
from maxagent.tools.runtime.registry import load_all_tools

READING = {"read", "fetch", "talk", "note"}


def names(profile: AgentProfile, *, planning: bool = False, **chosen: list[str]) -> set[str]:
    tools = select_agent_tools(profile, ToolsSection(**chosen), planning=planning, lacking=["mcp"])
    return {tool.name for tool in tools}


def agent(*tools: str, denied: tuple[str, ...] = ()) -> AgentProfile:
    lines = {"tools": 2, "denied_tools": 3}
    return AgentProfile(
        "a", "", "x", allowed_tools=tools, denied_tools=denied, origin="a.md", lines=lines
    )


@pytest.mark.parametrize(
    "profile", load_built_in_agents().values(), ids=lambda profile: profile.name
)
def test_every_tool_of_a_built_in_agent_exists(profile: AgentProfile) -> None:
    assert names(profile) == {*profile.allowed_tools} - {"mcp_*"}


def test_who_plans_or_explores_changes_nothing_else() -> None:
    effects = {tool.name: get_effect(tool) for tool in load_all_tools()}
    for name in ("architect", "explore"):
        assert {effects[tool] for tool in load_built_in_agents()[name].allowed_tools} <= READING
    plan = {*load_built_in_agents()["plan"].allowed_tools} - {"mcp_*"}
    changing = {tool for tool in plan if effects[tool] not in READING}
    assert changing == {"write_file", "edit", "run_command"}  # which plan mode holds


def test_star_excludes_tools_of_graph_or_mode() -> None:
    assert names(agent("*")) == {tool.name for tool in load_all_tools()} - BELONGING - BRIDGE
    assert names(agent("*", "plan_enter")) - names(agent("*")) == {"plan_enter"}
    assert names(agent("git_*")) == {"git_status", "git_diff", "git_log", "git_branch"}


def test_foreign_names_resolve_and_denied_tool_is_excluded() -> None:
    assert names(agent("Read", "Bash", "ls", denied=("execute_command",))) == {
        "read_file",
        "list_files",
    }
    assert names(agent("*", denied=("*",))) == set()


def test_tools_that_are_not_here_are_left_out() -> None:
    assert names(agent("Read", "WebSearch", "NotebookEdit", "mcp__github__issue", "Task")) == {
        "read_file",
        "subagent",
    }


@pytest.mark.parametrize(
    ("tools", "denied", "expected"),
    [
        (("*",), (), True),
        (("read_file",), (), False),
        (("mcp_*",), (), True),
        (("mcp__github__*",), (), True),
        (("mcp_gitlab_*",), (), False),
        (("use_mcp_tool",), (), True),
        (("*",), ("mcp_github_*",), False),
        (("*",), ("mcp_gitlab_*",), True),
    ],
)
def test_an_agent_calls_the_servers_tools_that_it_lists(
    tools: tuple[str, ...], denied: tuple[str, ...], expected: bool
) -> None:
    profile = agent(*tools, denied=denied)
    assert can_call_server_tool("mcp_github_search", profile, ToolsSection()) is expected
    offered = {tool.name for tool in select_agent_tools(profile, ToolsSection())}
    assert (offered >= BRIDGE) is (tools != ("read_file",))


def test_configuration_enables_and_disables_servers_tools() -> None:
    for chosen, expected in [
        (ToolsSection(enabled=["read_file"]), False),
        (ToolsSection(enabled=["use_mcp_tool"]), True),
        (ToolsSection(enabled=["mcp_github_*"]), True),
        (ToolsSection(disabled=["mcp_github_*"]), False),
    ]:
        assert can_call_server_tool("mcp_github_search", agent("*"), chosen) is expected


def test_tool_disabled_by_configuration_stays_disabled() -> None:
    assert names(agent("grep", "glob"), disabled=["glob"]) == {"grep"}


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        (agent("Raed"), "a.md:2: `Raed` is not a tool; did you mean `read_file`?"),
        (agent("*", denied=("xyzzy",)), "a.md:3: `xyzzy` is not a tool; available: read_file, "),
    ],
)
def test_unknown_tool_name_is_error_with_line(profile: AgentProfile, text: str) -> None:
    with pytest.raises(UsageError) as wrong:
        select_agent_tools(profile, ToolsSection())
    assert wrong.value.message.startswith(text)


def test_sub_agent_gets_no_more_tools_than_parent() -> None:
    below = agent("grep", "glob", "edit", denied=("edit",))
    assert names(replace(agent("*"), under=below)) == {"grep", "glob"}
    assert names(replace(agent("grep", "edit"), under=below)) == {"grep"}


def test_planning_agent_can_write_and_show_plan() -> None:
    planning = names(agent("grep"), planning=True)
    assert planning == {"grep", "edit", "write_file", "plan_exit", "plan_mode_respond"}
    assert "edit" not in names(agent("grep", denied=("edit",)), planning=True)


def test_the_built_in_agents_have_no_mistakes() -> None:
    assert [
        mistake for item in load_built_in_agents().values() for mistake in find_mistakes(item)
    ] == []


def test_every_meaningless_entry_is_reported_with_its_place() -> None:
    profile = AgentProfile(
        name="a",
        description="",
        system_prompt="x",
        allowed_tools=("grab",),
        permissions=(RawRule("deny", "edti", "a.md:5"), RawRule("ask", "edit(", "a.md:6")),
        writable_files=("~/x",),
        origin="a.md",
        lines={"tools": 2, "files": 7},
    )
    mistakes = list(find_mistakes(profile))
    assert [item.split(":")[1] for item in mistakes] == ["2", "5", "6", "7"]
    assert "did you mean `edit`" in mistakes[1] and "relative to the project" in mistakes[3]
