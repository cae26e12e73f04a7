from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.tool_text import MAX_DESCRIPTION_LENGTH, describe_tool, show_hidden


def tool(description: str) -> ToolDefinition:
    return ToolDefinition("s", "t", description)


def test_a_description_is_cleaned_and_cut() -> None:
    assert describe_tool(tool("Safe.\U000e0041\u202e")) == "[MCP:s] Safe."
    assert len(describe_tool(tool("x" * 9_999))) < MAX_DESCRIPTION_LENGTH + 20


def test_a_person_sees_hidden_characters() -> None:
    assert show_hidden("a\u200bb") == "a<U+200B>b"
