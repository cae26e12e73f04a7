"""A real server whose answers are nearly right, through the real client."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from maxagent.tools.mcp.connection import McpConnection
from maxagent.tools.mcp.definition import ServerDefinitions
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.result import ToolResult

SERVER = Path(__file__).parents[3] / "fixtures" / "mcp_servers" / "sloppy_server.py"
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
GOOD = {"name": "good", "inputSchema": SCHEMA}
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)


def connect(folder: Path, tools: list[Any], answers: Mapping[str, Any] | None = None):
    play = folder / "play.json"
    play.write_text(json.dumps({"tools": tools, "answers": answers or {}}))
    server = McpServer("odd", "stdio", command=sys.executable, args=(str(SERVER), str(play)))
    return McpConnection(server, folder / "home")


async def list_tools(folder: Path, *tools: Any) -> ServerDefinitions:
    connection = connect(folder, [GOOD, *tools])
    try:
        return await connection.list_definitions(refresh=True)
    finally:
        await connection.close()


USABLE: dict[str, dict[str, Any]] = {
    "no schema": {},
    "schema null": {"inputSchema": None},
    "schema without type": {"inputSchema": {"properties": {"a": {"type": "string"}}}},
    "type in a list": {"inputSchema": {"type": ["object", "null"]}},
    "properties null": {"inputSchema": {"type": "object", "properties": None}},
    "required no list": {"inputSchema": {"type": "object", "required": "a"}},
    "schema a list": {"inputSchema": []},
    "output of another type": {"inputSchema": SCHEMA, "outputSchema": {"type": "array"}},
    "output a text": {"inputSchema": SCHEMA, "outputSchema": "text"},
    "title a number": {"inputSchema": SCHEMA, "title": 7},
    "icons a text": {"inputSchema": SCHEMA, "icons": "x.png"},
    "annotations a list": {"inputSchema": SCHEMA, "annotations": ["read-only"]},
    "a hint a text": {"inputSchema": SCHEMA, "annotations": {"readOnlyHint": "perhaps"}},
    "description null": {"inputSchema": SCHEMA, "description": None},
    "description an object": {"inputSchema": SCHEMA, "description": {"en": "x"}},
}
LEFT_OUT: list[Any] = [
    {"name": "odd", "inputSchema": {"type": "string"}},
    {"name": "odd", "inputSchema": {"type": "array", "items": {}}},
    {"name": "odd", "inputSchema": "object"},
    {"inputSchema": SCHEMA},
    {"name": None, "inputSchema": SCHEMA},
    {"name": " ", "inputSchema": SCHEMA},
    "odd",
    None,
]


@pytest.mark.parametrize("oddity", USABLE)
async def test_odd_tool_is_read(oddity: str, tmp_path: Path) -> None:
    definitions = await list_tools(tmp_path, {"name": "odd", **USABLE[oddity]})
    good, odd = definitions.tools
    assert (good.name, odd.name, odd.schema["type"]) == ("good", "odd", "object")
    assert definitions.left_out == ()


@pytest.mark.parametrize("tool", LEFT_OUT)
async def test_bad_tool_is_left_out_alone(tool: Any, tmp_path: Path) -> None:
    definitions = await list_tools(tmp_path, tool)
    assert [each.name for each in definitions.tools] == ["good"]
    [reason] = definitions.left_out
    assert reason.endswith((" (its arguments are no object)", " (it has no name)"))


ANSWERS: dict[str, tuple[dict[str, Any], str]] = {
    "structured alone": ({"structuredContent": {"total": 3}}, '"total": 3'),
    "content null": ({"content": None, "structuredContent": {"total": 4}}, '"total": 4'),
    "content a text": ({"content": "plain words"}, "plain words"),
    "content of texts": ({"content": ["one", "two"]}, "one\ntwo"),
    "content an object": ({"content": {"type": "text", "text": "alone"}}, "alone"),
    "text null": ({"content": [{"type": "text", "text": None}]}, ""),
    "text a number": ({"content": [{"type": "text", "text": 7}]}, "7"),
    "no type": ({"content": [{"text": "words"}]}, "words"),
    "unknown block beside text": (
        {"content": [{"type": "text", "text": "read"}, {"type": "chart", "data": [1]}]},
        'read\n[chart: {"type": "chart", "data": [1]}]',
    ),
    "structured a list": ({"content": [], "structuredContent": [1, 2]}, "[1, 2]"),
    "error flag a text": ({"content": [{"type": "text", "text": "fine"}], "isError": "no"}, "fine"),
}


@pytest.mark.parametrize("oddity", ANSWERS)
async def test_usable_answer_is_read(oddity: str, tmp_path: Path) -> None:
    result, words = ANSWERS[oddity]
    connection = connect(tmp_path, [GOOD], {"good": {"result": result}})
    try:
        answer = await connection.call_tool("good", {})
    finally:
        await connection.close()
    assert isinstance(answer, ToolResult) and answer.ok
    assert words in answer.output


async def test_image_without_type_is_shown(tmp_path: Path) -> None:
    block = {"type": "image", "data": PIXEL}
    connection = connect(tmp_path, [GOOD], {"good": {"result": {"content": [block]}}})
    try:
        answer = await connection.call_tool("good", {})
    finally:
        await connection.close()
    assert isinstance(answer, ToolResult) and "image" in answer.output


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"error": {"code": "E_LIMIT", "message": "too many"}}, "too many"),
        ({"error": {"code": "E_LIMIT"}}, "E_LIMIT"),
        ({"error": {"message": "no code"}}, "no code"),
        ({"error": "only words"}, "only words"),
        ({"result": "only words"}, "its answer cannot be read"),
        ({"result": None}, "its answer cannot be read"),
    ],
)
async def test_unreadable_answer_is_wrong_at_once(
    answer: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    connection = connect(tmp_path, [GOOD], {"good": answer})
    try:
        result = await connection.call_tool("good", {})
        assert isinstance(result, ToolResult) and reason in result.error
    except McpError as error:
        assert reason in str(error)
    finally:
        await connection.close()
