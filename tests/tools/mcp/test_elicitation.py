"""Who answers what a server asks while its call runs."""

from collections.abc import Mapping
from typing import Any

import pytest

from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.elicitation import Elicitation
from maxagent.tools.mcp.input_request import InputAnswer, InputRequest
from maxagent.tools.mcp.tool_adapter import build_tool

TOOL = build_tool("mcp_s_ask", ToolDefinition("s", "ask", ""), from_project=False)
WHO = InputRequest("form", "Who?", {"properties": {"name": {"type": "string"}}})


def test_where_nobody_sits_there_is_no_answerer() -> None:
    assert Elicitation().build_answerer(TOOL) is None


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        ({"type": "respond", "message": "Ann"}, InputAnswer("accept", {"name": "Ann"})),
        ({"type": "reject"}, InputAnswer("decline")),
        ({"type": "respond", "message": "{"}, InputAnswer("cancel")),
        (None, InputAnswer("cancel")),
    ],
)
async def test_a_decision_becomes_the_answer(
    decision: Mapping[str, Any] | None, answer: InputAnswer
) -> None:
    output: list[Mapping[str, Any]] = []

    async def ask(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        output.append(request)
        return decision

    answerer = Elicitation(ask).build_answerer(TOOL)
    assert answerer and await answerer(WHO) == answer
    [request] = output
    assert (request["name"], request["form"]) == ("mcp_s_ask", WHO.schema)
