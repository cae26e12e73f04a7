from dataclasses import replace
from types import MappingProxyType

import pytest

from maxagent.config.agents.profile import AgentProfile
from maxagent.config.agents.registry import AgentRegistry, load_built_in_agents
from maxagent.config.settings.schema import ToolsSection
from maxagent.tools.result import ToolError
from maxagent.tools.runtime.agent_tools import select_child_tools
from maxagent.tools.runtime.sendable_agents import (
    can_change,
    describe_own_agents,
    find_sendable_agent,
    list_sendable_agents,
)

BUILT_IN = load_built_in_agents()
AGENTS = AgentRegistry(BUILT_IN)


def tools(agent: str, parent: str, *, planning: bool = False) -> set[str]:
    profile = BUILT_IN[agent].with_parent(BUILT_IN[parent])
    return {tool.name for tool in select_child_tools(profile, ToolsSection(), planning=planning)}


@pytest.mark.parametrize(
    ("parent", "sendable"),
    [
        ("build", ["architect", "coder", "explore", "general", "shell", "tester"]),
        ("plan", ["architect", "coder", "explore", "general", "shell", "tester"]),
        ("architect", ["architect", "explore"]),
    ],
)
def test_who_changes_nothing_sends_only_readers(parent: str, sendable: list[str]) -> None:
    assert [*list_sendable_agents(AGENTS, BUILT_IN[parent])] == sendable


def test_primary_and_hidden_agents_are_not_sent() -> None:
    agent_profiles = {
        name: AgentProfile(name, "", "You.", allowed_tools=("read_file",))
        for name in ("a", "b", "c")
    }
    agent_profiles["b"] = replace(agent_profiles["b"], mode="primary")
    agent_profiles["c"] = replace(agent_profiles["c"], hidden=True)
    registry = AgentRegistry(MappingProxyType(agent_profiles))
    assert [*list_sendable_agents(registry, BUILT_IN["build"])] == ["a"]


def test_own_agents_are_described_or_named() -> None:
    agent_profiles = {
        name: AgentProfile(name, "Does\nit.", "You.", allowed_tools=tools, origin="program")
        for name, tools in (("b", ("edit",)), ("a", ("grep",)))
    }
    registry = AgentRegistry(MappingProxyType({**agent_profiles, "explore": BUILT_IN["explore"]}))
    assert describe_own_agents(registry, 1000).splitlines()[1:] == [
        "- a (only reads): Does it.",
        "- b: Does it.",
    ]
    assert describe_own_agents(registry, 10).splitlines()[1:] == ["a, b"]
    assert describe_own_agents(AGENTS, 1000) == ""


def test_unknown_agent_is_answered_with_the_list() -> None:
    with pytest.raises(ToolError, match="no agent `explor` .* did you mean `explore`.* shell"):
        find_sendable_agent(AGENTS, BUILT_IN["build"], "explor")


def test_agent_with_invalid_tools_counts_as_changing() -> None:
    assert can_change(AgentProfile("x", "", "You.", allowed_tools=("no_such_tool",)))
    assert not can_change(BUILT_IN["explore"])


def test_a_child_has_only_what_its_parent_has() -> None:
    assert {"write_file", "run_command"} <= tools("general", "coder")
    assert "run_command" not in tools("general", "editor")
    assert tools("coder", "architect") & {"edit", "write_file", "run_command"} == set()


def test_a_child_sends_nobody_and_edits_nothing_in_plan_mode() -> None:
    planning = tools("coder", "build", planning=True)
    assert "edit" in tools("coder", "build") and "edit" not in planning
    assert {"subagent", "plan_enter"} & (tools("coder", "build") | planning) == set()


@pytest.mark.parametrize(
    ("written", "name"),
    [("Explore", "explore"), ("general-purpose", "general"), ("Plan", "architect")],
)
def test_other_spellings_name_the_same_agent(written: str, name: str) -> None:
    assert find_sendable_agent(AGENTS, BUILT_IN["build"], written).name == name
