"""The names by which models call tools of servers."""

from collections.abc import Callable

import pytest

from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.tool_names import MAX_NAME_LENGTH, fold_name, make_tool_name, name_tools


def tool(server: str, name: str) -> ToolDefinition:
    return ToolDefinition(server, name, "Does it.")


def test_names_are_what_every_provider_accepts() -> None:
    assert make_tool_name("git hub", "search.repos") == "mcp_git_hub_search_repos"
    long = make_tool_name("s", "x" * 100)
    assert len(long) == MAX_NAME_LENGTH and long != make_tool_name("s", "x" * 101)


def test_tools_that_rules_cannot_tell_apart_get_a_hash() -> None:
    names = name_tools([tool("a_b", "c"), tool("a", "b_c"), tool("a", "B__C"), tool("z", "d")])
    assert len(names) == 4 and "mcp_z_d" in names and "mcp_a_b_c" not in names
    assert [(item.server, item.name) for item in names.values()] == [
        ("a", "B__C"), ("a", "b_c"), ("a_b", "c"), ("z", "d")]  # fmt: skip


MINE, OTHER = ("a", "b_c"), ("a_b", "c")


def name_of(tools: list[tuple[str, str]], key: tuple[str, str]) -> str:
    by_name = name_tools(tool(*each) for each in tools)
    assert len(by_name) == len(tools) == len({fold_name(name) for name in by_name})
    assert all(len(name) <= MAX_NAME_LENGTH for name in by_name)
    return next(name for name, item in by_name.items() if (item.server, item.name) == key)


@pytest.mark.parametrize("change", [str, str.upper, lambda name: name.replace("_", "__")])
@pytest.mark.parametrize("server", ["a", "a_b"])
def test_a_server_takes_no_name_of_another_tool(server: str, change: Callable[[str], str]) -> None:
    tools = [MINE, OTHER]
    for _ in range(4):  # what it gets each time is known to the server
        name = name_of(tools, MINE)
        copy = (server, change(name.removeprefix(make_tool_name(server, ""))))
        tools.append(copy)
        assert name_of(tools, copy) != name


def test_other_spellings_are_the_same_name() -> None:
    assert fold_name("mcp__Git__log") == fold_name("mcp_git_log")
