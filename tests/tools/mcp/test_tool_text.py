import json
import re

import pytest

from maxagent.config.security.control_characters import CONTROL_CHARACTERS
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.tool_adapter import build_tool
from maxagent.tools.mcp.tool_text import (
    MAX_DESCRIPTION_LENGTH,
    describe_tool,
    restore_hidden,
    show_hidden,
)


def tool(description: str) -> ToolDefinition:
    return ToolDefinition("s", "t", description)


def test_a_description_is_cleaned_and_cut() -> None:
    assert describe_tool(tool("Safe.\U000e0041\u202e")) == "[MCP:s] Safe."
    assert len(describe_tool(tool("x" * 9_999))) < MAX_DESCRIPTION_LENGTH + 20


def test_a_person_sees_hidden_characters() -> None:
    assert show_hidden("a\u200bb") == "a<U+200B>b"


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\U000e0041", "\u2066", "\ufeff", "\xad"])
def test_no_hidden_character_of_a_schema_reaches_models(hidden: str) -> None:
    name, choice = f"na{hidden}me", f"a{hidden}b"
    schema = {
        "type": "object",
        "title": f"T{hidden}",
        "required": [name],
        "properties": {
            name: {"enum": [choice, "c"], "description": f"D{hidden}", "default": choice},
            "rows": {"type": "array", "items": {"properties": {name: {"const": choice}}}},
        },
    }
    offered = build_tool("mcp_s_t", ToolDefinition("s", "t", "", schema), from_project=False)
    text = json.dumps(offered.args_schema, ensure_ascii=False)
    assert not re.search(f"[{CONTROL_CHARACTERS}]", text) and '"name"' in text
    called = {"name": "ab", "rows": [{"name": "ab"}], "other": "ab"}
    sent = {name: choice, "rows": [{name: choice}], "other": "ab"}
    assert restore_hidden(schema, called) == sent
