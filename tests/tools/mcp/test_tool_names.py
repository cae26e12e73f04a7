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


def test_other_spellings_are_the_same_name() -> None:
    assert fold_name("mcp__Git__log") == fold_name("mcp_git_log")
