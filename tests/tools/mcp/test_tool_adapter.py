from langchain_core.utils.function_calling import convert_to_openai_tool

from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.tool_adapter import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    build_tool,
    describe_tool,
    find_text_argument,
    make_tool_name,
    name_tools,
)


def tool(server: str, name: str, description: str = "Does it.") -> ToolDefinition:
    return ToolDefinition(server, name, description)


def test_names_are_what_every_provider_accepts() -> None:
    assert make_tool_name("git hub", "search.repos") == "mcp_git_hub_search_repos"
    long = make_tool_name("s", "x" * 100)
    assert len(long) == LONGEST_NAME and long != make_tool_name("s", "x" * 101)


def test_tools_that_rules_cannot_tell_apart_get_a_hash() -> None:
    named = name_tools([tool("a_b", "c"), tool("a", "b_c"), tool("a", "B__C"), tool("z", "d")])
    assert len(named) == 4 and "mcp_z_d" in named and "mcp_a_b_c" not in named
    assert [(one.server, one.name) for one in named.values()] == [
        ("a", "B__C"), ("a", "b_c"), ("a_b", "c"), ("z", "d")]  # fmt: skip


def test_a_description_is_cleaned_and_cut() -> None:
    assert describe_tool(tool("s", "t", "Safe.\U000e0041\u202e")) == "[MCP:s] Safe."
    assert len(describe_tool(tool("s", "t", "x" * 9_999))) < LONGEST_DESCRIPTION + 20


def test_the_schema_is_sent_as_it_is() -> None:
    schema = {"type": "object", "properties": {"run": {"anyOf": [{"type": "string"}]}}}
    built = build_tool("mcp_s_t", ToolDefinition("s", "t", "d", schema, read_only=True),
                       from_project=False)  # fmt: skip
    assert convert_to_openai_tool(built)["function"]["parameters"] == schema
    assert built.is_repeatable
    assert not build_tool("n", built.definition, from_project=True).is_repeatable


def test_one_required_text_is_the_query() -> None:
    text = {"q": {"type": "string"}, "n": {"type": "integer"}}
    assert find_text_argument({"properties": text, "required": ["q"]}) == "q"
    assert find_text_argument({"properties": text, "required": ["n"]}) == ""
    assert find_text_argument({"properties": text}) == ""
