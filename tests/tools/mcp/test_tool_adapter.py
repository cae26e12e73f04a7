from langchain_core.utils.function_calling import convert_to_openai_tool

from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.tool_adapter import build_tool, find_text_argument


def test_the_schema_is_sent_as_providers_take_it() -> None:
    schema = {"type": "object", "properties": {"run": {"type": "string"}}}
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
    assert find_text_argument({"properties": {"q": True}, "required": ["q"]}) == ""
    assert find_text_argument({"properties": {"$q": text["q"]}, "required": ["$q"]}) == "$q"
